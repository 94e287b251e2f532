//===- FindDifferences.h - all tensors of a run, judged ---------*- C++ -*-===//
//
// Compares the tensors of a run with a reference's of the same names, and finds
// for each code that differs the rule that explains it.
//
// The graph as imported is evaluated once more with every tensor that the
// reference has put in the place of ours as soon as it is computed: so each
// node reads what the reference's node read, and what it gives is compared with
// what the reference's node gave. Steps whose codes still differ are asked
// again under the other rules (Evidence.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_DIFF_FINDDIFFERENCES_H
#define TALLY_DRIVER_DIFF_FINDDIFFERENCES_H

#include "tally/eval/Request.h"
#include "tally/report/Differences.h"
#include "tally/support/Npy.h"
#include "tally/support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

namespace tally {

/// Where the tensors come from that ours are compared with.
struct Reference {
  std::string name; ///< for people: "onnxruntime 1.32.0, optimizations off"
  std::map<std::string, NpyArray> tensors; ///< by the model's names
  /// Made by another model, in floats: differences have no rule.
  bool isOtherModel = false;
  /// It is onnxruntime, whose kernels are known: rules that they do not follow
  /// explain nothing.
  bool isOnnxRuntime = false;
  /// Of onnxruntime's tensors: the operator in its graph that makes each.
  std::map<std::string, std::string> makers;
  /// Int8 tensors of which it keeps each code 128 higher, as uint8.
  std::set<std::string> unsignedTensors;
  std::optional<report::Share> changedByShowing; ///< as in the report
};

/// What both sides ran on, and ours.
struct OwnRun {
  mlir::func::FuncOp function;                 ///< the graph as imported
  std::vector<eval::Tensor> inputs;            ///< one per argument
  std::map<std::string, eval::Tensor> tensors; ///< by the model's names
  eval::Profile profile = eval::Profile::Ideal;
};

/// Tensors of the reference's with another element type or shape count as
/// missing. Where a compiled form has merged or moved a tensor of ours, the
/// evaluator's stands for it. With `keepAll` the report has every element that
/// differs, else a few.
Result<report::DifferenceReport>
findDifferences(const OwnRun &run, const Reference &reference, bool keepAll);

} // namespace tally

#endif // TALLY_DRIVER_DIFF_FINDDIFFERENCES_H
