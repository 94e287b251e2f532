//===- Product.cpp - matrix products with their operands exchanged --------===//
//
// Why the bits stay:
//
//   Integers: element (n, m) of the exchanged product sums the same terms, and
//   an exact sum has no order. Codes: the sum is requantized with the same two
//   scales; their product is exact in IDEAL and commutes where a profile rounds
//   it to fp32. Floats: terms are taken in ascending k in both forms, and
//   fma(x, y, sum) = fma(y, x, sum).
//
//   Gemm rounds fl32(fl32(alpha * sa) * sb): exchanging sa and sb may change
//   that, so a Gemm on codes with an alpha is exchanged only if it does not.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/layout/Product.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Inference.h"
#include "tally/rewrite/layout/Permutation.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

bool tally::rewrite::isProduct(Operation *op) {
  return isa_and_nonnull<MatMulOp, MatMulIntegerOp, GemmOp>(op);
}

bool tally::rewrite::isWeight(Value value) {
  SmallVector<Value> pending = {value};
  llvm::DenseSet<Operation *> seen; // operands may meet again further up
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!isa_and_nonnull<Operator>(op))
      return false;
    if (isa<ConstantOp>(op) || !seen.insert(op).second)
      continue;
    if (!isa<DequantizeOp, DequantizeRuntimeOp, Movement>(op))
      return false;
    llvm::append_range(pending, op->getOperands());
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

/// Whether both orders of fl32(fl32(alpha * sa) * sb) agree for all channels.
static bool scalesCommute(GemmOp gemm) {
  auto a = quantizedElement(gemm.getA().getType());
  auto b = quantizedElement(gemm.getB().getType());
  float alpha = gemm.getAlpha().convertToFloat();
  if (!a || !b || alpha == 1)
    return true;
  eval::Quantization gridA = gridOf(a), gridB = gridOf(b);
  for (float scaleA : gridA.scales)
    for (float scaleB : gridB.scales) {
      float left = alpha * scaleA, right = alpha * scaleB;
      if (left * scaleB != right * scaleA)
        return false;
    }
  return true;
}

static std::optional<Refusal> whyNotExchanged(GemmOp gemm) {
  if (!scalesCommute(gemm))
    return Refusal{"alpha times the scales rounds differently in the other "
                   "order",
                   "fold alpha into a scale"};
  Value c = gemm.getC();
  if (!c)
    return std::nullopt;
  RankedTensorType type = tensorType(c);
  bool isMatrix =
      type.getRank() == 2 && type.getDimSize(0) != 1 && type.getDimSize(1) != 1;
  if (isMatrix && !isWeight(c))
    return Refusal{"its C is computed and would have to be transposed",
                   "add C by a node of its own"};
  bool differsByColumn = type.getRank() > 0 && type.getShape().back() != 1;
  if (differsByColumn && quantizedElement(gemm.getType()))
    return Refusal{"its C differs by column, and codes take one addend per "
                   "column of the exchanged product, that is per row",
                   "give C the shape [M, 1], or add it by a node of its own"};
  return std::nullopt;
}

std::optional<Refusal> tally::rewrite::whyNotExchanged(Operation *product) {
  if (auto gemm = dyn_cast<GemmOp>(product))
    return ::whyNotExchanged(gemm);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The exchanged product
//===----------------------------------------------------------------------===//

static Permutation matrixExchange(int64_t rank) {
  Permutation permutation = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(permutation[rank - 2], permutation[rank - 1]);
  return permutation;
}

/// A Gemm's addend as the exchanged product takes it.
static Value exchangedAddend(OpBuilder &builder, Location location, Value c) {
  if (!c || tensorType(c).getNumElements() == 1)
    return c;
  return permutedValue(builder, location,
                       withRank(builder, location, c, /*rank=*/2), {1, 0});
}

Value tally::rewrite::exchanged(OpBuilder &builder, Operation *product) {
  // The result is no tensor of the model.
  Location location = withOutputs(product->getLoc(), {std::string()});
  auto type = cast<RankedTensorType>(product->getResult(0).getType());
  type = permutedType(type, matrixExchange(type.getRank()));
  return TypeSwitch<Operation *, Value>(product)
      .Case([&](MatMulOp op) {
        return MatMulOp::create(builder, location, type, op.getB(), op.getA(),
                                !op.getTransB(), !op.getTransA());
      })
      .Case([&](MatMulIntegerOp op) {
        return MatMulIntegerOp::create(
            builder, location, type, op.getB(), op.getA(), op.getBZeroPoint(),
            op.getAZeroPoint(), !op.getTransB(), !op.getTransA());
      })
      .Case([&](GemmOp op) {
        Value c = exchangedAddend(builder, location, op.getC());
        return GemmOp::create(builder, location, type, op.getB(), op.getA(), c,
                              op.getAlphaAttr(), op.getBetaAttr(),
                              builder.getBoolAttr(!op.getTransB()),
                              builder.getBoolAttr(!op.getTransA()));
      });
}

//===----------------------------------------------------------------------===//
// Transposed factors
//===----------------------------------------------------------------------===//

bool tally::rewrite::isFactor(OpOperand &operand) {
  return isProduct(operand.getOwner()) && operand.getOperandNumber() < 2;
}

/// Zero points in the shape of their factor with K replaced by 1 follow the
/// factor; a single one and a list are about rows or columns in any case.
static void exchangeZeroPoints(MatMulIntegerOp op, bool ofA) {
  MutableOperandRange range =
      ofA ? op.getAZeroPointMutable() : op.getBZeroPointMutable();
  if (range.empty())
    return;
  Value zeroPoint = range[0].get();
  RankedTensorType type = tensorType(zeroPoint);
  if (type.getRank() < 2 || type.getNumElements() == 1)
    return;
  OpBuilder builder(op);
  range.assign(permutedValue(builder, op.getLoc(), zeroPoint,
                             matrixExchange(type.getRank())));
}

void tally::rewrite::readTransposed(OpOperand &factor, Value transposed) {
  bool isA = factor.getOperandNumber() == 0;
  factor.set(transposed);
  TypeSwitch<Operation *>(factor.getOwner())
      .Case<MatMulOp, MatMulIntegerOp, GemmOp>([&](auto op) {
        if (isA)
          op.setTransA(!op.getTransA());
        else
          op.setTransB(!op.getTransB());
      });
  if (auto op = dyn_cast<MatMulIntegerOp>(factor.getOwner()))
    exchangeZeroPoints(op, isA);
}
