//===- BiasRows.cpp - a product and its bias in two nodes -----------------===//

#include "tally/graph/import/BiasRows.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"
#include "tally/ops/QuantizedGroup.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

namespace {
struct BiasedProduct {
  AddOp add;
  MatMulOp product;
  Value row; ///< constant; as many elements as the product has columns
};

/// Makes the Gemm right before the Add.
class Joiner {
public:
  explicit Joiner(const BiasedProduct &pair) : pair(pair), builder(pair.add) {}

  void run();

private:
  Value reshaped(Value value, ArrayRef<int64_t> shape, Location loc);
  Value row();

  BiasedProduct pair;
  OpBuilder builder;
};
} // namespace

static bool isOneMovement(Operation *op) {
  return op && isa<Movement>(op) && op->getNumOperands() == 1;
}

static bool isDequantized(Value value) {
  Operation *op = value.getDefiningOp();
  while (isOneMovement(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<DequantizeOp>(op);
}

/// Whether a Quantize reads `op` through what may follow a group's core.
static bool isQuantized(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return isa<QuantizeOp>(user) ||
           ((isa<ReluOp, ClipOp>(user) || isOneMovement(user)) &&
            isQuantized(user));
  });
}

/// A constant: real, or codes and the Dequantize behind them.
static bool isConstantBias(Value value) {
  if (auto dequantize = value.getDefiningOp<DequantizeOp>())
    return bool(dequantize.getInput().getDefiningOp<ConstantOp>());
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && isFinite(constant);
}

/// Whether `value` adds one number to each column of `sum`, alone.
static bool isRow(Value value, RankedTensorType sum) {
  auto type = cast<RankedTensorType>(value.getType());
  return sum.getNumElements() > 0 && type.getRank() >= 1 &&
         type.getRank() <= sum.getRank() &&
         type.getShape().back() == sum.getShape().back() &&
         type.getNumElements() == type.getShape().back() &&
         type.getElementType().isF32() && isConstantBias(value);
}

static std::optional<BiasedProduct> biasedProduct(AddOp add) {
  for (unsigned side : {0U, 1U}) {
    auto product = add->getOperand(side).getDefiningOp<MatMulOp>();
    Value row = add->getOperand(1 - side);
    if (!product || add.getType() != product.getType())
      continue;
    auto right = cast<RankedTensorType>(product.getB().getType());
    if (right.getRank() == 2 && isDequantized(product.getA()) &&
        isDequantized(product.getB()) && isRow(row, product.getType()) &&
        isQuantized(add))
      return BiasedProduct{add, product, row};
  }
  return std::nullopt;
}

Value Joiner::reshaped(Value value, ArrayRef<int64_t> shape, Location loc) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return ReshapeOp::create(builder, loc, type.clone(shape), value,
                           builder.getDenseI64ArrayAttr(shape));
}

/// The row as a vector: a group takes a real operand as a constant alone.
Value Joiner::row() {
  auto type = cast<RankedTensorType>(pair.row.getType());
  int64_t shape[] = {type.getNumElements()};
  auto constant = pair.row.getDefiningOp<ConstantOp>();
  if (!constant || type.getRank() == 1)
    return reshaped(pair.row, shape, pair.row.getLoc());
  eval::Tensor tensor = hostTensor(constant.getValue(), type);
  tensor.shape = {type.getNumElements()};
  return ConstantOp::create(
      builder, pair.row.getLoc(), type.clone(shape),
      elementsAttr(builder.getContext(), tensor, tensorName(pair.row)));
}

void Joiner::run() {
  auto sum = cast<RankedTensorType>(pair.add.getType());
  int64_t columns = sum.getShape().back();
  int64_t rows = sum.getNumElements() / columns;
  int64_t terms =
      cast<RankedTensorType>(pair.product.getB().getType()).getDimSize(0);
  Location loc = withOutputs(pair.product.getLoc(), {std::string()});
  FloatAttr one = builder.getF32FloatAttr(1);
  BoolAttr no = builder.getBoolAttr(false);
  Value left = reshaped(pair.product.getA(), {rows, terms}, loc);
  Value gemm = GemmOp::create(builder, loc, sum.clone({rows, columns}), left,
                              pair.product.getB(), row(), one, one, no, no);
  Value result = reshaped(gemm, sum.getShape(), loc);
  result.getDefiningOp()->setLoc(withOutputs(
      pair.product.getLoc(), {tensorName(pair.add.getResult()).str()}));
  pair.add.getResult().replaceAllUsesWith(result);
}

void tally::nn::joinBiasRows(func::FuncOp function) {
  for (AddOp add :
       llvm::make_early_inc_range(function.getBody().front().getOps<AddOp>())) {
    auto pair = biasedProduct(add);
    if (!pair)
      continue;
    Joiner(*pair).run();
    add.erase();
    if (pair->product->use_empty())
      pair->product.erase();
  }
}
