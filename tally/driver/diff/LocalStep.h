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
  /// The step that makes `result`, a tensor of codes or plain integers, from
  /// the tensors that `tensorOf` gives for what it reads.
  static Result<LocalStep> of(mlir::Value result, eval::TensorOf tensorOf);

  /// What it reads: a group's sources, or the operands. None is null.
  llvm::SmallVector<mlir::Value> sources() const;
  /// The float tensor that the model states between node and codes, or null.
  mlir::Value floatResult() const;
  /// Whether it is a weighted sum of neighbours, as Resize computes it.
  bool isInterpolation() const;

  /// Codes under a profile.
  Result<eval::Tensor> codes(eval::Profile profile) const;

  /// The same by an executor that keeps those int8 tensors as uint8, each code
  /// and zero point 128 higher, for which `isUnsigned` holds; its codes are
  /// given as int8. It holds for the result.
  Result<eval::Tensor>
  unsignedCodes(eval::Profile profile,
                llvm::function_ref<bool(mlir::Value)> isUnsigned) const;

  /// The exact real over the scale, times 2^report::kFineBits, as int64. Of
  /// plain integers only interpolations have one, over 1.
  Result<eval::Tensor> exact() const;

  /// Codes of the literal reading: operands dequantized, the operator, its
  /// clamps and the Quantize, all in fp32, sums in our own order.
  Result<eval::Tensor> inFloat() const;

  /// How far an fp32 computation may be from `exact`, in its unit. With
  /// u = 2^-24: for sums of n products (n + 8) u times the sum of their
  /// magnitudes, which holds in every order of summation, with or without
  /// fused operations (Higham, Accuracy and Stability of Numerical Algorithms,
  /// section 3.1; 8 for the roundings around the sum). For functions of one
  /// code 32 u (1 + |f|), for a library's approximations. For a Quantize by
  /// itself 2 u |x|: one division. An interpolation of T neighbours counts as
  /// n = T + 4 L, since its weights come from fp32 coordinates along axes of L
  /// elements together.
  Result<eval::Tensor> floatBound() const;

private:
  LocalStep() = default;
  eval::Step inFloats() const;
  bool hasFloatForm() const;
  Result<eval::Tensor> reals() const;
  Result<eval::Tensor> magnitudes() const;
  int64_t terms() const;
  double boundUnits() const;

  mlir::Operation *op = nullptr; ///< makes the result
  std::optional<nn::QuantizedGroup> group;
  eval::Step step;
  llvm::SmallVector<mlir::Value> read; ///< by operand of the step; may be null
  eval::Tensor like;                   ///< element and grid of the result
};

/// The codes of fp32 reals on the grid of `like`: QuantizeLinear in fp32.
eval::Tensor quantizedInFloat(const eval::Tensor &reals,
                              const eval::Tensor &like);

} // namespace tally

#endif // TALLY_DRIVER_DIFF_LOCALSTEP_H
