//===- Decisions.h - what a compilation decided, and why --------*- C++ -*-===//
//
// The decisions of one compilation as plain records, and their form for people
// and programs. A decision is about one node of the model and named by a stable
// code (docs/reference/remarks.md); who makes decisions fills the records.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REPORT_DECISIONS_H
#define TALLY_REPORT_DECISIONS_H

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tally::report {

enum class Outcome {
  Done,    ///< a rewrite was made
  Refused, ///< possible, but refused for a reason
  Failed,  ///< tried, did not come out
  Fact,    ///< nothing to decide
};
/// "done", "refused", "failed", "fact".
const char *outcomeName(Outcome outcome);

/// What one code stands for.
struct DecisionKind {
  std::string code;     ///< "QDQ-1"
  std::string category; ///< "quantize": the rewrite that decides
  Outcome outcome = Outcome::Fact;
  std::string meaning; ///< one sentence, lower case, without a final stop
};

/// One decision. Names are the model's own; texts are empty where the decision
/// has nothing to say, lower case and without a final stop otherwise.
struct Decision {
  size_t kind = 0; ///< index into Explanation::kinds
  std::string node;
  std::string edge;       ///< the tensor that the decision turned on
  std::string other;      ///< a second node that takes part
  std::string reason;     ///< what decided
  std::string suggestion; ///< what would change it
  std::vector<std::pair<std::string, std::string>> facts; ///< anything else

  bool operator==(const Decision &) const = default;
};

struct Explanation {
  std::string model;                   ///< path
  std::vector<std::string> categories; ///< asked for, in the order of `kinds`
  std::vector<DecisionKind> kinds;     ///< all codes there are
  std::vector<Decision> decisions;     ///< in the order they were made
};

/// For people. Decisions of one code with the same reason and suggestion are
/// one entry with a count and a few names; with `all`, each is listed.
void printExplanation(llvm::raw_ostream &os, const Explanation &explanation,
                      bool all);

/// One JSON object with "version": 1 and every decision.
void writeExplanation(llvm::raw_ostream &os, const Explanation &explanation);

} // namespace tally::report

#endif // TALLY_REPORT_DECISIONS_H
