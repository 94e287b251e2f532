//===- FindDifferences.h - all tensors of a run, judged ---------*- C++ -*-===//
//
// Compares the tensors of a run with a reference's of the same names, and finds
// for each code that differs the rule that explains it.
//
// The graph as imported is evaluated once more with every tensor that the
// reference has put in the place of ours as soon as it is computed: so each
// node reads what the reference's node read, and what it gives is compared with
// what the reference's node gave. Steps whose codes still differ are asked
// again under the other rules (LocalStep.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_DIFF_FINDDIFFERENCES_H
#define TALLY_DRIVER_DIFF_FINDDIFFERENCES_H

#include "tally/eval/Request.h"
#include "tally/report/Differences.h"
#include "tally/support/Npy.h"
#include "tally/support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally {

/// Where the tensors come from that ours are compared with.
struct Reference {
  std::string name; ///< for people: "onnxruntime 1.32.0, optimizations off"
  std::map<std::string, NpyArray> tensors; ///< by the model's names
  /// Made by another model, in floats: differences have no rule.
  bool isOtherModel = false;
};

/// `function` is the graph as imported, `inputs` what both sides ran on, `ours`
/// the tensors of our run by the model's names, under `profile`. Tensors of
/// the reference's with another element type or shape count as missing.
Result<report::DifferenceReport>
findDifferences(mlir::func::FuncOp function,
                const std::vector<eval::Tensor> &inputs,
                const std::map<std::string, eval::Tensor> &ours,
                const Reference &reference, eval::Profile profile);

} // namespace tally

#endif // TALLY_DRIVER_DIFF_FINDDIFFERENCES_H
