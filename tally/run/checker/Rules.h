//===- Rules.h - the rules of the checker -----------------------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_RULES_H
#define TALLY_RUN_CHECKER_RULES_H

#include <cstdint>
#include <span>
#include <string_view>

namespace tally::checker {

enum class Rule : uint8_t {
#define TALLY_CHECK(id, ...) id,
#include "tally/run/checker/Rules.def"
};

struct RuleInfo {
  Rule rule;
  std::string_view code, name, meaning;
};

/// All rules, in the order of their codes.
std::span<const RuleInfo> allRules();
inline const RuleInfo &infoOf(Rule rule) { return allRules()[size_t(rule)]; }

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_RULES_H
