//===- Convolutions.h - operands of convolutions ----------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_CONVOLUTIONS_H
#define TALLY_SCHEDULE_LOWER_CONVOLUTIONS_H

#include "tally/schedule/lower/Piecewise.h"
#include "tally/schedule/lower/Product.h"

#include "mlir/IR/IRMapping.h"

namespace tally::schedule {

/// A product with what surrounds it: the values that it really reads, which
/// block arguments stand for inside of an nn.fused.
struct ProductNode {
  mlir::Operation *anchor;
  llvm::SmallVector<mlir::Operation *> stages;
  mlir::IRMapping outer;
  mlir::Value result;
  mlir::Value operand(unsigned i) const {
    return outer.lookupOrDefault(anchor->getOperand(i));
  }
};
ProductNode productNodeOf(mlir::Operation *op);

/// A convolution before its tensors are known.
struct Convolution {
  Product product;
  Epilogue epilogue;
};
/// Fails with NPU-10 where the array or the output stage cannot run it.
Result<Convolution> convolutionOf(Scheduler &s, const ProductNode &node);

/// The constant behind a value, or nothing.
std::optional<eval::Tensor> constantOf(mlir::Value value);

/// Refuses grids that the array does not take: it takes 8 bits, and one zero
/// point of all weights.
Status checkGrids(Scheduler &s, mlir::RankedTensorType input,
                  const std::optional<eval::Tensor> &weight);

/// The same elements with channels innermost, by a copy if they are not; those
/// in global memory as they are.
Result<Tensor> channelsLast(Scheduler &s, const Tensor &tensor,
                            mlir::Value value);

/// Pixels of an image of two spatial dimensions, or of one row.
Result<Pixels> imagePixels(Scheduler &s, const Tensor &tensor,
                           int64_t groupChannels);

/// What a convolution of two dimensions, with what is fused behind it,
/// convolves; null for other operators.
mlir::Value windowInput(mlir::Operation *op);
/// The same as a node that computes rows of its result from rows of its
/// operands in SRAM, with weights that stay there.
Result<PiecewiseNode> windowNode(Scheduler &s, mlir::Operation *op);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_CONVOLUTIONS_H
