//===- Step.h - one step of a graph on given tensors ------------*- C++ -*-===//
//
// A quantized group (ops/QuantizedGroup.h) or a single operator, together with
// the tensors that it reads. The evaluator runs a graph step by step; whoever
// asks what one step would give on other operands, on another grid or in
// floats, runs that step alone.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_STEP_H
#define TALLY_EVAL_STEP_H

#include "tally/eval/Request.h"
#include "tally/ops/QuantizedGroup.h"
#include "tally/support/Result.h"

namespace tally::eval {

struct Step {
  /// Null: the operand moves to the wanted grid.
  mlir::Operation *core = nullptr;
  /// In operand order; nothing for an absent optional operand.
  std::vector<std::optional<Tensor>> operands;
  /// Clamps and movements of the core's result, in execution order.
  llvm::SmallVector<mlir::Operation *, 2> after;
};

using TensorOf = llvm::function_ref<Tensor(mlir::Value)>;

/// The step that a group is, on the tensors of its sources: a movement on the
/// way from a source to the core is done here.
Result<Step> stepOf(const nn::QuantizedGroup &group, TensorOf tensorOf,
                    Profile profile);

/// The step that an operation is by itself.
Step stepOf(mlir::Operation *op, TensorOf tensorOf);

/// The step's only result with elements as `like` has them: codes on its grid
/// (per tensor), or floats when it has none and the operands are floats. The
/// storage of `like` is not used.
Result<Tensor> evaluateStep(const Step &step, const Tensor &like,
                            Profile profile);

} // namespace tally::eval

#endif // TALLY_EVAL_STEP_H
