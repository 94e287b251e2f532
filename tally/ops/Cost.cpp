//===- Cost.cpp - how much work an operation is ---------------------------===//

#include "tally/ops/Cost.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally::nn;

static int64_t elements(Value value) {
  return tensorType(value).getNumElements();
}

/// Every output sees one term per weight of its channel.
static int64_t perOutput(Value result, Value weight) {
  int64_t channels = shapeOf(weight)[0];
  return channels ? elements(result) * (elements(weight) / channels) : 0;
}

std::optional<int64_t> tally::nn::multiplyAdds(Operation *op) {
  if (auto conv = dyn_cast<ConvOp>(op))
    return perOutput(conv.getResult(), conv.getWeight());
  if (auto conv = dyn_cast<ConvIntegerOp>(op))
    return perOutput(conv.getResult(), conv.getWeight());
  // Every input element meets every weight of its channel.
  if (auto conv = dyn_cast<ConvTransposeOp>(op))
    return perOutput(conv.getInput(), conv.getWeight());
  if (auto gemm = dyn_cast<GemmOp>(op))
    return elements(gemm.getResult()) *
           shapeOf(gemm.getA())[gemm.getTransA() ? 0 : 1];
  if (auto product = dyn_cast<MatMulOp>(op))
    return elements(product.getResult()) * shapeOf(product.getA()).back();
  if (auto product = dyn_cast<MatMulIntegerOp>(op))
    return elements(product.getResult()) * shapeOf(product.getA()).back();
  return std::nullopt;
}
