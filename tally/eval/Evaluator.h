//===- Evaluator.h - runs a graph exactly -----------------------*- C++ -*-===//
//
// The judge of every other executor. Walks a function of nn operators and asks
// each operation for its exact meaning; a Quantize that closes a group
// (ops/QuantizedGroup.h) gets the group's integer meaning. Only what the
// outputs and states need is computed, and a tensor is freed after its last
// reader.
//
// Rules:
//   EVAL-1  an operator has a meaning on the elements it is given
//   EVAL-2  there are as many inputs as the function has arguments
//   EVAL-3  a state that is read has a value (Usage)
//   EVAL-4  a state that is a number with a largest value is not negative and
//           not larger when a call begins (Usage)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_EVALUATOR_H
#define TALLY_EVAL_EVALUATOR_H

#include "tally/eval/Request.h"
#include "tally/support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tally::eval {

/// The values of a function's states, by name.
using StateValues = std::map<std::string, Tensor>;

struct EvaluatorOptions {
  Profile profile = Profile::Ideal;
  /// The states' values; those without one have their initial value. A call
  /// that succeeds replaces them by what it wrote; one that fails leaves them.
  /// Null: the call is a first one, and what it writes is dropped.
  StateValues *states = nullptr;
  /// Called with every tensor that is computed, in program order.
  std::function<void(mlir::Value, const Tensor &)> observe;
  /// What the readers of a tensor get in its place, asked once it is computed
  /// and observed; of the same type. Nothing: the tensor itself.
  std::function<std::optional<Tensor>(mlir::Value)> replace;
  /// Called before each operation with its index and the number of all.
  std::function<void(int64_t, int64_t)> progress;
};

/// Runs `function` on `inputs`, which match its arguments' storage types.
/// Returns one tensor per result. A failure names the node.
Result<std::vector<Tensor>> evaluate(mlir::func::FuncOp function,
                                     const std::vector<Tensor> &inputs,
                                     const EvaluatorOptions &options = {});

/// Evaluates one operation on given inputs (null for absent operands) with
/// results as its own types say.
Result<std::vector<Tensor>>
evaluateOperation(mlir::Operation *op,
                  const std::vector<const Tensor *> &inputs,
                  Profile profile = Profile::Ideal);

} // namespace tally::eval

#endif // TALLY_EVAL_EVALUATOR_H
