//===- Rules.cpp - the rules of the checker -------------------------------===//

#include "tally/run/checker/Rules.h"

using namespace tally::checker;

std::span<const RuleInfo> tally::checker::allRules() {
  static constexpr RuleInfo rules[] = {
#define TALLY_CHECK(id, code, name, meaning) {Rule::id, code, name, meaning},
#include "tally/run/checker/Rules.def"
  };
  return rules;
}
