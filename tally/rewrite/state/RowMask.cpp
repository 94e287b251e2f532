//===- RowMask.cpp - passing over rows that are not there -----------------===//
//
// In a cache, rows that are not there hold finite numbers of no meaning; what
// is computed of them may be anything (1 / 0). Whoever works on each row alone
// may have them; what takes rows together gets in their place what changes
// nothing:
//
//   softmax along the rows      -inf: a share of exactly 0
//   product, summed over rows   0 in one operand; a softmax's shares are 0
//                               0 in the other, unless it is the cache itself
//   sum, largest, smallest      0, the least, the greatest number
//
// A product with a row of zeros adds 0 to a sum that began with +0, so that the
// bits are those of the model without these rows.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/state/RowMask.h"
#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/ops/Ops.h"

#include <limits>

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

namespace {
class Masker {
public:
  Masker(const Grown &grown, const Rows &rows) : grown(grown), rows(rows) {}
  Status mask(Operation *op);

private:
  bool hasRows(Value value) const;
  bool isStored(Value value) const;
  Status maskProduct(Operation *op);
  Status maskReduction(Operation *op, ArrayRef<int64_t> axes);
  Status keepsRows(Operation *op);
  Value isThere(OpBuilder &builder, Location location, Value value);
  /// Operand `i` of `op` gets `number` in rows that are not there.
  void fill(Operation *op, unsigned i, double number);

  const Grown &grown;
  const Rows &rows;
  llvm::DenseSet<Value> zeroes; ///< 0 in rows that are not there
};
} // namespace

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether `value` has an entry for each row of the capacity.
bool Masker::hasRows(Value value) const {
  int64_t axis = grown.axisOf(value);
  return axis >= 0 && typeOf(value).getDimSize(axis) == rows.capacity;
}

/// The number as an element: of integers the least, 0 or the greatest.
static eval::Tensor fillerOf(RankedTensorType type, double number) {
  eval::Tensor filler = describe(type);
  filler.shape = {1};
  filler.allocate();
  if (eval::isFloat(filler.element))
    eval::storeFloat(filler, 0, number);
  else if (number != 0)
    eval::storeInt(filler, 0,
                   number < 0 ? eval::minValue(filler.element)
                              : eval::maxValue(filler.element));
  return filler;
}

static tally::Diagnostic refusal(Operation *op, std::string message) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "GROW-6";
  failure.node = nodeName(op);
  failure.message = std::move(message);
  failure.hint = "a cache of fixed capacity that the model itself updates at a "
                 "position is a state like any other";
  return failure;
}

//===----------------------------------------------------------------------===//
// Filling
//===----------------------------------------------------------------------===//

static Value constantOf(OpBuilder &builder, Location location,
                        const eval::Tensor &tensor, Type element) {
  auto type = RankedTensorType::get(tensor.shape, element);
  return ConstantOp::create(builder, location, type,
                            elementsAttr(builder.getContext(), tensor, "rows"));
}

/// Booleans that broadcast to `value`, along its rows.
Value Masker::isThere(OpBuilder &builder, Location location, Value value) {
  eval::Tensor places;
  places.shape.assign(typeOf(value).getRank(), 1);
  places.shape[grown.axisOf(value)] = rows.capacity;
  places.element = eval::Element::I64;
  places.allocate();
  for (int64_t i = 0; i < rows.capacity; ++i)
    eval::storeInt(places, i, i);
  Value place =
      constantOf(builder, location, places, builder.getIntegerType(64));
  auto type = RankedTensorType::get(places.shape, builder.getI1Type());
  if (rows.order == RowOrder::FromFront)
    return LessOp::create(builder, location, type, place, rows.bound);
  return GreaterOrEqualOp::create(builder, location, type, place, rows.bound);
}

void Masker::fill(Operation *op, unsigned i, double number) {
  Value value = op->getOperand(i);
  OpBuilder builder(op);
  Location location = withOutputs(op->getLoc(), {});
  Value other = constantOf(builder, location, fillerOf(typeOf(value), number),
                           typeOf(value).getElementType());
  op->setOperand(i, WhereOp::create(builder, location, value.getType(),
                                    isThere(builder, location, value), value,
                                    other));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The operand's dimension that a product sums over, or -1.
static int64_t summedAxis(Operation *op, unsigned i) {
  int64_t rank = typeOf(op->getOperand(i)).getRank();
  bool isTransposed = false;
  if (auto product = dyn_cast<MatMulOp>(op))
    isTransposed = i == 0 ? product.getTransA() : product.getTransB();
  if (auto product = dyn_cast<GemmOp>(op))
    isTransposed = i == 0 ? product.getTransA() : product.getTransB();
  if (i > 1)
    return -1;
  return (i == 0) != isTransposed ? rank - 1 : rank - 2;
}

static bool movesElements(Operation *op) {
  return isa<StorageCastOp, ReshapeOp, TransposeOp, ExpandOp, SliceOp>(op);
}

/// Whether what is in rows that are not there is finite, as it comes from a
/// cache without arithmetic. Codes and integers are finite.
bool Masker::isStored(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<FloatType>(typeOf(value).getElementType()))
    return true;
  if (auto concat = dyn_cast<ConcatOp>(op))
    return llvm::all_of(concat.getInputs(), [&](Value input) {
      return grown.axisOf(input) < 0 || isStored(input);
    });
  bool isMoved = movesElements(op) || isa<DequantizeOp, ScatterNdOp>(op);
  return isMoved && isStored(op->getOperand(0));
}

Status Masker::maskProduct(Operation *op) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (!hasRows(a) || grown.axisOf(a) != summedAxis(op, 0))
    return Status::success();
  if (!zeroes.contains(a) && !zeroes.contains(b)) {
    fill(op, 0, 0);
    zeroes.insert(a = op->getOperand(0));
  }
  for (unsigned i : {0, 1})
    if (Value value = op->getOperand(i);
        !zeroes.contains(value) && !isStored(value) && hasRows(value))
      fill(op, i, 0);
  return Status::success();
}

Status Masker::maskReduction(Operation *op, ArrayRef<int64_t> axes) {
  if (!llvm::is_contained(axes, grown.axisOf(op->getOperand(0))))
    return Status::success();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool isPlain = !quantizedElement(op->getOperand(0).getType());
  if (isPlain && isa<ReduceMaxOp>(op))
    fill(op, 0, -infinity);
  else if (isPlain && isa<ReduceMinOp>(op))
    fill(op, 0, infinity);
  else if (isPlain && isa<ReduceSumOp>(op))
    fill(op, 0, 0);
  else
    return refusal(op, "it takes together rows of a cache of which some may "
                       "not be there");
  return Status::success();
}

static int64_t product(ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

/// Whether a movement leaves every row in its place along its dimension.
static bool movesNoRow(Operation *op, int64_t from, int64_t to) {
  RankedTensorType in = typeOf(op->getOperand(0)),
                   out = typeOf(op->getResult(0));
  if (isa<ReshapeOp>(op))
    return product(in.getShape().take_front(from)) ==
           product(out.getShape().take_front(to));
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return transpose.getPermutation()[to] == from;
  if (isa<ExpandOp>(op))
    return in.getRank() - from == out.getRank() - to;
  if (auto slice = dyn_cast<SliceOp>(op))
    return from == to && slice.getStarts()[from] == 0 &&
           slice.getSteps()[from] == 1;
  return false;
}

/// What works on each row alone.
Status Masker::keepsRows(Operation *op) {
  Value out = op->getResult(0);
  bool isAlone = op->hasTrait<ElementwiseStage>();
  if (isa<ReshapeOp, TransposeOp, ExpandOp, SliceOp>(op))
    isAlone =
        movesNoRow(op, grown.axisOf(op->getOperand(0)), grown.axisOf(out));
  if (auto concat = dyn_cast<ConcatOp>(op))
    isAlone = static_cast<int64_t>(concat.getAxis()) != grown.axisOf(out);
  if (!isAlone || op->getNumResults() != 1 || !hasRows(out))
    return refusal(op, "it takes together, or apart, rows of a cache of which "
                       "some may not be there");
  bool keepsZero =
      movesElements(op) || isa<CastOp, QuantizeOp, DequantizeOp>(op);
  if (keepsZero && zeroes.contains(op->getOperand(0)))
    zeroes.insert(out);
  return Status::success();
}

Status Masker::mask(Operation *op) {
  if (isa<MatMulOp, GemmOp>(op))
    return maskProduct(op);
  if (isa<SoftmaxOp, LogSoftmaxOp>(op)) {
    auto axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
    if (axis != grown.axisOf(op->getOperand(0)))
      return Status::success();
    fill(op, 0, -std::numeric_limits<double>::infinity());
    if (isa<SoftmaxOp>(op))
      zeroes.insert(op->getResult(0));
    return Status::success();
  }
  if (auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes"))
    return maskReduction(op, axes.asArrayRef());
  return keepsRows(op);
}

Status tally::rewrite::maskRows(func::FuncOp function, const Grown &grown,
                                const Rows &rows) {
  Masker masker(grown, rows);
  SmallVector<Operation *> readers;
  for (Operation &op : function.getBody().front().without_terminator())
    for (Value operand : op.getOperands())
      if (int64_t axis = grown.axisOf(operand);
          axis >= 0 && typeOf(operand).getDimSize(axis) == rows.capacity) {
        readers.push_back(&op);
        break;
      }
  for (Operation *op : readers)
    if (Status status = masker.mask(op); !status)
      return status;
  return Status::success();
}
