//===- CodeOperands.cpp - operands with scale and zero point --------------===//

#include "tally/graph/import/CodeOperands.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static Status checkPresent(NodeImport &node, size_t i) {
  if (node.hasInput(i))
    return Status::success();
  return node.failure(FailureKind::Model, "IMP-6",
                      "operand " + std::to_string(i) + " is missing");
}

Result<Value> tally::nn::codesOperand(NodeImport &node, size_t x, size_t scale,
                                      size_t zeroPoint, int64_t axis) {
  for (size_t i : {x, scale})
    if (Status status = checkPresent(node, i); !status)
      return status.takeError();
  auto grid = node.grid(scale, zeroPoint, node.codeRange(x), axis,
                        tensorType(node.rawOperand(x)).getRank());
  if (!grid)
    return grid.takeError();
  return node.codes(x, *grid);
}

Result<Type> tally::nn::resultElement(NodeImport &node, size_t scale,
                                      size_t zeroPoint, size_t like) {
  if (Status status = checkPresent(node, scale); !status)
    return status.takeError();
  auto grid = node.grid(scale, zeroPoint, node.codeRange(like), 0, 0);
  if (!grid)
    return grid.takeError();
  return Type(quantizedType(node.context(), *grid));
}

Result<Value> tally::nn::biasOperand(NodeImport &node, size_t bias,
                                     float scaleA,
                                     const eval::Quantization &weight) {
  if (!node.hasInput(bias))
    return Value();
  eval::Quantization grid;
  grid.qmin = INT32_MIN;
  grid.qmax = INT32_MAX;
  for (float scaleB : weight.scales)
    grid.scales.push_back(scaleA * scaleB);
  grid.zeroPoints.assign(grid.scales.size(), 0);
  if (grid.scales.size() > 1)
    grid.axis =
        static_cast<int>(tensorType(node.rawOperand(bias)).getRank() - 1);
  return node.codes(bias, grid);
}
