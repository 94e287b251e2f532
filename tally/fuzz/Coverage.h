//===- Coverage.h - what random graphs reached ------------------*- C++ -*-===//
//
// Counts by topic and name: operators, element types, grids, decisions of the
// phases, anchors and stages of chains, refusals. A generator that mostly makes
// what is refused, or never an operator, tests nothing; so the counts are
// printed, and what is missing can be asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_FUZZ_COVERAGE_H
#define TALLY_FUZZ_COVERAGE_H

#include "tally/support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tally::fuzz {

enum class Topic {
  Operator, ///< as imported or as rewritten: "conv"
  Element,  ///< of tensors as imported: "i8 codes", "f32"
  Grid,     ///< of code tensors: "zero point at the minimum", "per axis"
  Decision, ///< codes of Remarks.def: "FUSE-1"
  Anchor,   ///< of chains that fusion made: "conv"
  Stage,    ///< of chains that fusion made: "relu"
  Refusal,  ///< "CPU-1: no CPU code for ..."
};
inline constexpr int kTopics = static_cast<int>(Topic::Refusal) + 1;

class Coverage {
public:
  void count(Topic topic, const std::string &name, int64_t times = 1) {
    counts[static_cast<int>(topic)][name] += times;
  }
  int64_t of(Topic topic, const std::string &name) const;
  int64_t total(Topic topic) const;
  void add(const Coverage &other);

  /// Operators, elements and grids of a graph as imported.
  void countImported(mlir::func::FuncOp function);
  /// Operators and chains of a graph after the phases.
  void countRewritten(mlir::func::FuncOp function);

  /// The operators of the dialect that the run did not reach. (Decisions and
  /// anchors are counted, but some are rare: tests of their own show each.)
  std::vector<std::string> missing(mlir::MLIRContext &context) const;

  void print(llvm::raw_ostream &os) const;

  /// Lines "TOPIC<tab>COUNT<tab>NAME", to hand counts to another process, and
  /// one of them back.
  std::string lines() const;
  void addLine(llvm::StringRef line);

private:
  std::map<std::string, int64_t> counts[kTopics];
};

} // namespace tally::fuzz

#endif // TALLY_FUZZ_COVERAGE_H
