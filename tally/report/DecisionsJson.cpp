//===- DecisionsJson.cpp - a compilation's decisions, for programs --------===//

#include "tally/report/Decisions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally::report;
namespace json = llvm::json;

static void writeKinds(json::OStream &os, const Explanation &explanation) {
  std::vector<int64_t> counts(explanation.kinds.size());
  for (const Decision &decision : explanation.decisions)
    ++counts[decision.kind];
  os.attributeArray("codes", [&] {
    for (auto [kind, count] : llvm::zip_equal(explanation.kinds, counts)) {
      if (!llvm::is_contained(explanation.categories, kind.category))
        continue;
      os.object([&, &kind = kind, count = count] {
        os.attribute("code", kind.code);
        os.attribute("category", kind.category);
        os.attribute("outcome", outcomeName(kind.outcome));
        os.attribute("meaning", kind.meaning);
        os.attribute("count", count);
      });
    }
  });
}

static void writeDecision(json::OStream &os, const DecisionKind &kind,
                          const Decision &decision) {
  os.object([&] {
    os.attribute("code", kind.code);
    os.attribute("node", json::fixUTF8(decision.node));
    for (auto [key, text] : {std::pair("edge", &decision.edge),
                             std::pair("other", &decision.other),
                             std::pair("reason", &decision.reason),
                             std::pair("suggestion", &decision.suggestion)})
      if (!text->empty())
        os.attribute(key, json::fixUTF8(*text));
    if (decision.facts.empty())
      return;
    os.attributeObject("facts", [&] {
      for (const auto &[key, value] : decision.facts)
        os.attribute(json::fixUTF8(key), json::fixUTF8(value));
    });
  });
}

void tally::report::writeExplanation(llvm::raw_ostream &stream,
                                     const Explanation &explanation) {
  json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("model", json::fixUTF8(explanation.model));
    os.attributeArray("categories", [&] {
      for (const std::string &category : explanation.categories)
        os.value(category);
    });
    writeKinds(os, explanation);
    os.attributeArray("decisions", [&] {
      for (const Decision &decision : explanation.decisions)
        writeDecision(os, explanation.kinds[decision.kind], decision);
    });
  });
  stream << "\n";
}
