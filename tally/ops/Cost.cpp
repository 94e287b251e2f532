//===- Cost.cpp - how much work an operation is ---------------------------===//

#include "tally/ops/Cost.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally::nn;

std::optional<int64_t> tally::nn::multiplyAdds(Operation *op) {
  if (auto conv = dyn_cast<ConvOp>(op)) {
    int64_t weights = conv.getWeight().getType().getNumElements();
    int64_t outputs = conv.getWeight().getType().getDimSize(0);
    return outputs ? conv.getType().getNumElements() * (weights / outputs) : 0;
  }
  if (auto gemm = dyn_cast<GemmOp>(op))
    return gemm.getType().getNumElements() *
           gemm.getA().getType().getDimSize(gemm.getTransA() ? 0 : 1);
  return std::nullopt;
}
