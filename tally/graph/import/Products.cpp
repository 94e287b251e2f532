//===- Products.cpp - import of matrix products ---------------------------===//

#include "tally/graph/import/CodeOperands.h"
#include "tally/graph/import/MovementSteps.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

//===----------------------------------------------------------------------===//
// Vectors as matrices
//===----------------------------------------------------------------------===//

namespace {
/// Operands of a MatMul with vectors made matrices of one row (left) or one
/// column (right), and the shape that the result then has to get.
struct MatrixOperands {
  Value a, b;
  bool addedRow = false, addedColumn = false;
};
} // namespace

static Result<MatrixOperands> matrices(NodeImport &node, Value a, Value b) {
  MatrixOperands operands{a, b};
  if (tensorType(a).getRank() == 1) {
    operands.addedRow = true;
    auto matrix = reshaped(node, a, {1, shapeOf(a)[0]});
    if (!matrix)
      return matrix.takeError();
    operands.a = *matrix;
  }
  if (tensorType(b).getRank() == 1) {
    operands.addedColumn = true;
    auto matrix = reshaped(node, b, {shapeOf(b)[0], 1});
    if (!matrix)
      return matrix.takeError();
    operands.b = *matrix;
  }
  return operands;
}

/// Binds a product, without the dimensions that `matrices` added.
static Status bindProduct(NodeImport &node, const MatrixOperands &operands,
                          Result<Value> product) {
  if (!product || !(operands.addedRow || operands.addedColumn))
    return node.bind(std::move(product));
  SmallVector<int64_t> shape(shapeOf(*product));
  if (operands.addedColumn)
    shape.pop_back();
  if (operands.addedRow)
    shape.erase(shape.end() - (operands.addedColumn ? 1 : 2));
  return node.bind(reshaped(node, *product, shape));
}

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

static Status matMul(NodeImport &node) {
  auto operands = matrices(node, node.operand(0), node.operand(1));
  if (!operands)
    return operands.takeError();
  return bindProduct(node, *operands,
                     node.create<MatMulOp>({}, operands->a, operands->b));
}

static Status matMulInteger(NodeImport &node) {
  auto operands = matrices(node, node.operand(0), node.operand(1));
  if (!operands)
    return operands.takeError();
  return bindProduct(node, *operands,
                     node.create<MatMulIntegerOp>({}, operands->a, operands->b,
                                                  node.operand(2),
                                                  node.operand(3)));
}

/// QLinearMatMul whose scales or zero points are computed.
static Status runtimeMatMul(NodeImport &node) {
  auto operands = matrices(node, node.operand(0), node.operand(3));
  if (!operands)
    return operands.takeError();
  auto sums = node.create<MatMulIntegerOp>({}, operands->a, operands->b,
                                           node.operand(2), node.operand(5));
  if (!sums)
    return sums.takeError();
  int64_t rank = tensorType(*sums).getRank();
  return bindProduct(
      node, *operands,
      requantizedSums(node, *sums, 1, 4, {rank - 2, rank - 1}, 6, 7));
}

/// a, its scale and zero point, b likewise, the result's scale and zero point.
static Status qLinearMatMul(NodeImport &node) {
  if (Status status = node.need({0, 1, 3, 4, 6}); !status)
    return status;
  if (!areConstant(node, {1, 2, 4, 5, 6, 7}))
    return runtimeMatMul(node);
  auto a = codesOperand(node, 0, 1, 2, /*axis=*/-2);
  if (!a)
    return a.takeError();
  auto b = codesOperand(node, 3, 4, 5, /*axis=*/-1);
  if (!b)
    return b.takeError();
  auto element = resultElement(node, 6, 7);
  if (!element)
    return element.takeError();
  auto operands = matrices(node, *a, *b);
  if (!operands)
    return operands.takeError();
  return bindProduct(node, *operands,
                     node.create<MatMulOp>(*element, operands->a, operands->b));
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

static Result<Value> makeGemm(NodeImport &node, Type element, Value a, Value b,
                              Value c, float alpha, float beta) {
  auto &builder = node.builder;
  auto flag = [&](const char *name) {
    return builder.getBoolAttr(node.intAttr(name, 0) != 0);
  };
  return node.create<GemmOp>(element, a, b, c, builder.getF32FloatAttr(alpha),
                             builder.getF32FloatAttr(beta), flag("transA"),
                             flag("transB"));
}

static Status gemm(NodeImport &node) {
  return node.bind(makeGemm(node, {}, node.operand(0), node.operand(1),
                            node.operand(2), node.floatAttr("alpha", 1),
                            node.floatAttr("beta", 1)));
}

/// A plain matrix, or its transpose when the attribute `flag` is set.
static Result<Value> plainMatrix(NodeImport &node, size_t operand,
                                 const char *flag) {
  Value matrix = node.operand(operand);
  if (!node.intAttr(flag, 0))
    return matrix;
  return transposed(node, matrix, {1, 0});
}

/// QGemm without a result grid: the exact i32 sums are codes whose scale is
/// fl32(fl32(alpha * sa) * sb[n]), so y = fl32(sum) * scale.
static Status floatQGemm(NodeImport &node, float scaleA,
                         const eval::Quantization &gridB) {
  auto a = plainMatrix(node, 0, "transA"), b = plainMatrix(node, 3, "transB");
  if (!a || !b)
    return a ? b.takeError() : a.takeError();
  auto sums = node.create<MatMulIntegerOp>({}, *a, *b, node.operand(2),
                                           node.operand(5));
  if (sums && node.hasInput(6))
    sums = node.create<AddOp>({}, *sums, node.operand(6));
  if (!sums)
    return sums.takeError();
  eval::Quantization grid;
  grid.qmin = INT32_MIN;
  grid.qmax = INT32_MAX;
  for (float scaleB : gridB.scales)
    grid.scales.push_back(scaleA * scaleB);
  grid.zeroPoints.assign(grid.scales.size(), 0);
  grid.axis = grid.scales.size() > 1 ? 1 : -1;
  auto codes =
      node.create<StorageCastOp>(quantizedType(node.context(), grid), *sums);
  if (!codes)
    return codes.takeError();
  return node.bind(node.create<DequantizeOp>({}, *codes));
}

/// A, its scale and zero point, B likewise, C, the result's scale and zero
/// point; C counts in units of alpha * sa * sb.
static Status qGemm(NodeImport &node) {
  auto a = codesOperand(node, 0, 1, 2);
  if (!a)
    return a.takeError();
  auto b =
      codesOperand(node, 3, 4, 5, /*axis=*/node.intAttr("transB", 0) ? 0 : 1);
  if (!b)
    return b.takeError();
  eval::Quantization gridA = gridOf(quantizedElement(a->getType()));
  eval::Quantization gridB = gridOf(quantizedElement(b->getType()));
  float alpha = node.floatAttr("alpha", 1);
  float scaleA = alpha * gridA.scale();
  if (!node.hasInput(7))
    return floatQGemm(node, scaleA, gridB);
  auto c = biasOperand(node, 6, scaleA, gridB);
  if (!c)
    return c.takeError();
  auto element = resultElement(node, 7, 8);
  if (!element)
    return element.takeError();
  return node.bind(makeGemm(node, *element, *a, *b, *c, alpha, /*beta=*/1));
}

llvm::ArrayRef<ImportRow> tally::nn::productRows() {
  static const ImportRow rows[] = {
      {"", "Gemm", 7, gemm, 2},
      {"", "MatMul", 1, matMul, 2},
      {"", "MatMulInteger", 10, matMulInteger, 2},
      {"", "QLinearMatMul", 10, qLinearMatMul},
      {"com.microsoft", "QGemm", 1, qGemm},
  };
  return rows;
}
