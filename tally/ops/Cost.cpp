//===- Cost.cpp - how much work an operation is ---------------------------===//

#include "tally/ops/Cost.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally::nn;

/// Terms of every output of a convolution: its weight's elements per output
/// channel.
static int64_t windowTerms(RankedTensorType weight, int64_t outputAxis) {
  int64_t outputs = weight.getDimSize(outputAxis);
  return outputs ? weight.getNumElements() / outputs : 0;
}

/// Products of matrices have as many terms as the left factor has columns.
template <typename OpTy> static int64_t terms(OpTy product) {
  RankedTensorType type = product.getA().getType();
  return type.getDimSize(columnAxis(type.getRank(), product.getTransA()));
}

std::optional<int64_t> tally::nn::multiplyAdds(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op)) // stages are elementwise
    return multiplyAdds(fused.chain().front());
  if (op->getNumResults() == 0) // a state and its write
    return std::nullopt;
  int64_t outputs =
      cast<RankedTensorType>(op->getResult(0).getType()).getNumElements();
  if (auto conv = dyn_cast<ConvOp>(op))
    return outputs * windowTerms(conv.getWeight().getType(), 0);
  if (auto conv = dyn_cast<ConvIntegerOp>(op))
    return outputs * windowTerms(conv.getWeight().getType(), 0);
  // Every input element meets each tap of its group's outputs once.
  if (auto conv = dyn_cast<ConvTransposeOp>(op))
    return conv.getInput().getType().getNumElements() *
           windowTerms(conv.getWeight().getType(), 0);
  if (auto gemm = dyn_cast<GemmOp>(op))
    return outputs * terms(gemm);
  if (auto matmul = dyn_cast<MatMulOp>(op))
    return outputs * terms(matmul);
  if (auto matmul = dyn_cast<MatMulIntegerOp>(op))
    return outputs * terms(matmul);
  return std::nullopt;
}
