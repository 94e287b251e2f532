//===- Differences.h - a run against a reference ----------------*- C++ -*-===//
//
// What comparing all tensors of a run with a reference's found: per tensor how
// far they are apart, and of each code that differs the rule that explains it
// (Attribution.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REPORT_DIFFERENCES_H
#define TALLY_REPORT_DIFFERENCES_H

#include "tally/report/Attribution.h"

#include <map>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tally::report {

/// One element whose codes differ.
struct DifferentElement {
  std::vector<int64_t> index; ///< one per dimension
  int64_t ours = 0, reference = 0;
  /// The exact real over the scale, from the reference's operands, before
  /// rounding and zero point, times 2^kFineBits.
  std::optional<int64_t> exact;
  std::optional<Rule> rule; ///< nothing: unexplained
};

/// One tensor that both sides have.
struct TensorDifference {
  std::string node, op, tensor;
  std::string type;     ///< "int8 codes", "float32"
  bool isCodes = false; ///< elements carry a grid
  bool isFloat = false;
  int64_t count = 0, different = 0;
  /// Of integers and codes: ours minus the reference's, and how often.
  std::map<int64_t, int64_t> histogram;
  double largest = 0; ///< greatest |ours - reference|; in steps for codes
  /// 10 log10 of the reference's energy over the difference's, in reals;
  /// nothing when they are equal, or the reference is all zero.
  std::optional<double> sqnr;
  std::string changedOperand; ///< an operand that differs already; may be empty
  /// Of the codes or integers that differ: how many each rule explains.
  std::map<Rule, int64_t> explained;
  /// Some of those that differ, or all, in row-major order.
  std::vector<DifferentElement> elements;

  /// Counts one that differs. Whether it is one of the few to keep: the first
  /// ten of the tensor, and the first two of each rule and of none.
  bool countRule(std::optional<Rule> rule);

private:
  std::map<std::optional<Rule>, int64_t> seen;
};

/// Whether the decision that an output stands for is the same: the index of
/// the largest value along the last dimension.
struct DecisionAgreement {
  std::string output;
  int64_t agree = 0, count = 0;
};

/// So many of so many.
struct Share {
  int64_t part = 0, whole = 0;
};

struct DifferenceReport {
  std::string model;
  std::string executor;  ///< "cpu", "eval"
  std::string reference; ///< "onnxruntime 1.23.2, optimizations off"
  /// The reference is another model (in floats): its codes are roundings of
  /// reals, and differences have no rule.
  bool isOtherModel = false;
  std::vector<TensorDifference> tensors; ///< in graph order
  int64_t missing = 0; ///< tensors of ours that the reference does not have
  /// Floats between a Dequantize and a Quantize: ours has codes there and no
  /// such tensor, so they are not compared.
  int64_t insideGroups = 0;
  /// Tensors that the compiled form merged or moved: the evaluator's stand for
  /// them.
  int64_t fromEvaluator = 0;
  /// How many elements of the reference's outputs are others when its inner
  /// tensors are not shown, of how many; nothing when showing changes nothing
  /// by construction.
  std::optional<Share> changedByShowing;
  std::vector<DecisionAgreement> decisions;

  /// Codes or integers that differ, of all.
  int64_t differentCodes() const;
  int64_t comparedCodes() const;
  /// How many elements each rule explains; what none does has no entry.
  std::map<Rule, int64_t> ruleCounts() const;
  /// The rest of differentCodes. None against another model, where there are no
  /// rules.
  int64_t unexplained() const;
  /// The first tensor in graph order whose codes or integers differ, or null.
  const TensorDifference *first() const;
};

/// For people; with `all`, every tensor and element that differs.
void printDifferences(llvm::raw_ostream &os, const DifferenceReport &report,
                      bool all);

/// One JSON object with "version": 1. Without `all`, the first ten elements
/// that a tensor keeps.
void writeDifferences(llvm::raw_ostream &os, const DifferenceReport &report,
                      bool all);

} // namespace tally::report

#endif // TALLY_REPORT_DIFFERENCES_H
