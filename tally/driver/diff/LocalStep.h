//===- LocalStep.h - one node again, from given operands --------*- C++ -*-===//
//
// What the node that makes a code tensor gives from tensors that are not its
// own run's but a reference's: under each numerics profile, before rounding,
// and in floats. So each node is judged by itself, however far the tensors it
// reads are from ours.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_DIFF_LOCALSTEP_H
#define TALLY_DRIVER_DIFF_LOCALSTEP_H

#include "tally/eval/Step.h"

namespace tally {

class LocalStep {
public:
  /// The step that makes `result`, a tensor of codes on one scale, from the
  /// tensors that `tensorOf` gives for what it reads.
  static Result<LocalStep> of(mlir::Value result, eval::TensorOf tensorOf);

  /// What it reads: a group's sources, or the operands. None is null.
  llvm::SmallVector<mlir::Value> sources() const;
  /// The float tensor that the model states between node and codes, or null.
  mlir::Value floatResult() const;

  /// Codes under a profile.
  Result<eval::Tensor> codes(eval::Profile profile) const;

  /// The exact real over the scale, times 2^report::kFineBits, as int64.
  Result<eval::Tensor> exact() const;

  /// Codes of the literal reading: operands dequantized, the operator, its
  /// clamps and the Quantize, all in fp32, sums in our own order.
  Result<eval::Tensor> inFloat() const;

  /// How far an fp32 computation may be from `exact`, in its unit. With
  /// u = 2^-24: for sums of n products (n + 8) u times the sum of their
  /// magnitudes, which holds in every order of summation, with or without
  /// fused operations (Higham, Accuracy and Stability of Numerical Algorithms,
  /// section 3.1; 8 for the roundings around the sum). For functions of one
  /// code 32 u (1 + |f|), for a library's approximations.
  Result<eval::Tensor> floatBound() const;

private:
  LocalStep() = default;
  Result<eval::Tensor> magnitudes() const;
  int64_t terms() const;

  mlir::Operation *op = nullptr; ///< makes the result
  std::optional<nn::QuantizedGroup> group;
  eval::Step step;
  eval::Tensor like; ///< element and grid of the result
};

} // namespace tally

#endif // TALLY_DRIVER_DIFF_LOCALSTEP_H
