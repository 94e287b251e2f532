//===- DecisionsText.cpp - a compilation's decisions, for people ----------===//
//
// By category and code; within a code, decisions that say the same become one
// entry, the most frequent first:
//
//   quantize: 6 done, 2 refused
//     QDQ-2 refused (2): a node computes on floats although ...
//       2: scores, gate
//         why: its result is read as floats: no Quantize follows directly
//         instead: put a Quantize and a Dequantize after it
//
//===----------------------------------------------------------------------===//

#include "tally/report/Decisions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace tally::report;
using llvm::StringRef;

static constexpr size_t kNamesShown = 4, kEntriesShown = 3, kColumns = 80;

const char *tally::report::outcomeName(Outcome outcome) {
  switch (outcome) {
  case Outcome::Done:
    return "done";
  case Outcome::Refused:
    return "refused";
  case Outcome::Failed:
    return "failed";
  case Outcome::Fact:
    return "fact";
  }
  return "";
}

/// Prints `text` after `head`, broken between words at 80 columns; what
/// follows the first line stands `indent` to the right.
static void printWrapped(llvm::raw_ostream &os, const std::string &head,
                         StringRef text, size_t indent) {
  std::string line = head;
  bool isFirst = true;
  for (StringRef word : llvm::split(text, ' ')) {
    if (!isFirst && line.size() + 1 + word.size() > kColumns) {
      os << line << "\n";
      line.assign(indent, ' ');
      isFirst = true;
    }
    line += (isFirst ? "" : " ") + word.str();
    isFirst = false;
  }
  os << line << "\n";
}

namespace {
/// Decisions of one code that say the same.
struct Entry {
  const Decision *first;
  size_t count = 0;
  std::vector<std::string> names; ///< of the nodes, each once
};
} // namespace

/// In order of frequency; equal ones in the order they were made.
static std::vector<Entry>
entriesOf(const std::vector<const Decision *> &decisions) {
  std::map<std::pair<std::string, std::string>, size_t> places;
  std::vector<Entry> entries;
  for (const Decision *decision : decisions) {
    auto [place, isNew] = places.try_emplace(
        {decision->reason, decision->suggestion}, entries.size());
    if (isNew)
      entries.push_back({decision});
    Entry &entry = entries[place->second];
    ++entry.count;
    if (!llvm::is_contained(entry.names, decision->node))
      entry.names.push_back(decision->node);
  }
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return a.count != b.count ? a.count > b.count : a.first < b.first;
  });
  return entries;
}

static void printWhy(llvm::raw_ostream &os, const Decision &decision) {
  if (!decision.reason.empty())
    printWrapped(os, "      why: ", decision.reason, 11);
  if (!decision.suggestion.empty())
    printWrapped(os, "      instead: ", decision.suggestion, 15);
}

static std::string someNames(const std::vector<std::string> &names) {
  size_t shown = std::min(names.size(), kNamesShown);
  std::string text =
      llvm::join(names.begin(), names.begin() + shown, std::string(", "));
  if (names.size() > shown)
    text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

static void printEntries(llvm::raw_ostream &os,
                         const std::vector<const Decision *> &decisions) {
  std::vector<Entry> entries = entriesOf(decisions);
  bool isOne = entries.size() == 1; // its count is the code's
  for (const Entry &entry : llvm::ArrayRef(entries).take_front(kEntriesShown)) {
    std::string count = isOne ? "" : std::to_string(entry.count) + ": ";
    printWrapped(os, "    " + count, someNames(entry.names), 6);
    printWhy(os, *entry.first);
  }
  if (entries.size() > kEntriesShown)
    os << "    and " << entries.size() - kEntriesShown
       << " other reasons; --all lists them\n";
}

static void printEach(llvm::raw_ostream &os,
                      const std::vector<const Decision *> &decisions) {
  for (const Decision *decision : decisions) {
    std::string text = decision->node;
    if (!decision->edge.empty())
      text += ", at tensor " + decision->edge;
    if (!decision->other.empty())
      text += ", with " + decision->other;
    for (const auto &[key, value] : decision->facts)
      text.append(", ").append(key).append(" ").append(value);
    printWrapped(os, "    ", text, 6);
    printWhy(os, *decision);
  }
}

/// "6 done, 2 refused"; "no decisions".
static std::string countText(const Explanation &explanation,
                             const std::vector<const Decision *> &decisions) {
  std::map<Outcome, size_t> counts;
  for (const Decision *decision : decisions)
    ++counts[explanation.kinds[decision->kind].outcome];
  std::vector<std::string> parts;
  for (auto [outcome, count] : counts)
    parts.push_back(std::to_string(count) + " " + outcomeName(outcome) +
                    (outcome == Outcome::Fact && count > 1 ? "s" : ""));
  return parts.empty() ? "no decisions" : llvm::join(parts, ", ");
}

static std::vector<const Decision *>
choose(const Explanation &explanation,
       llvm::function_ref<bool(const DecisionKind &, size_t)> isWanted) {
  std::vector<const Decision *> chosen;
  for (const Decision &decision : explanation.decisions)
    if (isWanted(explanation.kinds[decision.kind], decision.kind))
      chosen.push_back(&decision);
  return chosen;
}

static void printCategory(llvm::raw_ostream &os, const Explanation &explanation,
                          const std::string &category, bool all) {
  auto mine = choose(explanation, [&](const DecisionKind &kind, size_t) {
    return kind.category == category;
  });
  os << category << ": " << countText(explanation, mine) << "\n";
  for (auto [i, kind] : llvm::enumerate(explanation.kinds)) {
    auto decisions = choose(explanation, [&](const DecisionKind &, size_t k) {
      return k == i && kind.category == category;
    });
    if (decisions.empty())
      continue;
    printWrapped(os,
                 "  " + kind.code + " " + outcomeName(kind.outcome) + " (" +
                     std::to_string(decisions.size()) + "): ",
                 kind.meaning, 4);
    (all ? printEach : printEntries)(os, decisions);
  }
}

void tally::report::printExplanation(llvm::raw_ostream &os,
                                     const Explanation &explanation, bool all) {
  os << explanation.model << "\n";
  for (const std::string &category : explanation.categories)
    printCategory(os, explanation, category, all);
}
