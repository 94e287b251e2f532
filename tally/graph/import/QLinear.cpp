//===- QLinear.cpp - import of elementwise operators on codes -------------===//
//
// com.microsoft's QLinear operators carry their grids as operands. Each is the
// ordinary operator on quantized types.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/CodeOperands.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// (X, X_scale, X_zero_point, Y_scale, Y_zero_point)
template <typename OpTy, typename... Attributes>
static Status unary(NodeImport &node, Attributes... attributes) {
  auto input = codesOperand(node, 0, 1, 2);
  if (!input)
    return input.takeError();
  auto element = resultElement(node, 3, 4);
  if (!element)
    return element.takeError();
  return node.bind(node.create<OpTy>(*element, *input, attributes...));
}

/// (A, A_scale, A_zero_point, B, B_scale, B_zero_point, C_scale, C_zero_point)
template <typename OpTy> static Status binary(NodeImport &node) {
  auto a = codesOperand(node, 0, 1, 2);
  if (!a)
    return a.takeError();
  auto b = codesOperand(node, 3, 4, 5);
  if (!b)
    return b.takeError();
  auto element = resultElement(node, 6, 7);
  if (!element)
    return element.takeError();
  return node.bind(node.create<OpTy>(*element, *a, *b));
}

static Status sigmoid(NodeImport &node) { return unary<SigmoidOp>(node); }

static Status leakyRelu(NodeImport &node) {
  return unary<LeakyReluOp>(
      node, node.builder.getF32FloatAttr(node.floatAttr("alpha", 0.01f)));
}

llvm::ArrayRef<ImportRow> tally::nn::qlinearRows() {
  static const ImportRow rows[] = {
      {"com.microsoft", "QLinearAdd", 1, binary<AddOp>},
      {"com.microsoft", "QLinearLeakyRelu", 1, leakyRelu},
      {"com.microsoft", "QLinearMul", 1, binary<MulOp>},
      {"com.microsoft", "QLinearSigmoid", 1, sigmoid},
  };
  return rows;
}
