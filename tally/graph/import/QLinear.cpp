//===- QLinear.cpp - import of elementwise operators on codes -------------===//
//
// com.microsoft's QLinear operators carry their grids as operands. Each is the
// ordinary operator on quantized types.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/NodeImport.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// The per-tensor grid of operands `scale` and `scale + 1`; a zero point that
/// is absent has the type of operand 0.
static Result<eval::Quantization> tensorGrid(NodeImport &node, size_t scale) {
  RankedTensorType type = tensorType(node.operand(0));
  auto element = elementOf(type.getElementType());
  auto grid = node.grid(scale, scale + 1, *element, /*axis=*/0, type.getRank());
  if (grid && !grid->perTensor())
    return node.failure(FailureKind::Model, "IMP-8",
                        "operand " + std::to_string(scale) +
                            ": the operator takes one scale per tensor");
  return grid;
}

/// Operand `i` as codes of the grid that follows it.
static Result<Value> tensorCodes(NodeImport &node, size_t i) {
  auto grid = tensorGrid(node, i + 1);
  if (!grid)
    return grid.takeError();
  return node.codes(i, *grid);
}

/// (X, X_scale, X_zero_point, Y_scale, Y_zero_point)
template <typename OpTy, typename... Attributes>
static Status unary(NodeImport &node, Attributes... attributes) {
  auto input = tensorCodes(node, 0);
  if (!input)
    return input.takeError();
  auto grid = tensorGrid(node, 3);
  if (!grid)
    return grid.takeError();
  Type element = quantizedType(node.context(), *grid);
  return node.bind(node.create<OpTy>(element, *input, attributes...));
}

/// (A, A_scale, A_zero_point, B, B_scale, B_zero_point, C_scale, C_zero_point)
template <typename OpTy> static Status binary(NodeImport &node) {
  auto a = tensorCodes(node, 0);
  if (!a)
    return a.takeError();
  auto b = tensorCodes(node, 3);
  if (!b)
    return b.takeError();
  auto grid = tensorGrid(node, 6);
  if (!grid)
    return grid.takeError();
  Type element = quantizedType(node.context(), *grid);
  return node.bind(node.create<OpTy>(element, *a, *b));
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
