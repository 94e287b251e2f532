//===- RowTables.cpp - what follows a one-hot row becomes a table ---------===//
//
// Each one-hot in turn. Forward from it, an operator is a member when each row
// of its result follows from the same row of members and from constants that
// are equal for all rows: elementwise operators, and products by a constant
// matrix. A member that something else reads is a root; its table is what the
// members before it give when the one-hot is made of all indices that differ,
// from below the first that names an element to behind the last.
//
//   x [1, 2048, 1] of i32                 indices -1, 0, .., 257
//   e = equal x, {0 .. 256}               [1, 259, 257]
//   y = quantize(matmul(quantize(cast e), w))     [1, 259, 64], the table
//
// Cost: the members' for that many rows, when compiled.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/fusion/RowTables.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Folding.h"
#include "tally/ops/Ops.h"
#include "tally/rewrite/CleanUp.h"
#include "tally/rewrite/Remarks.h"
#include "tally/rewrite/fusion/Tables.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

/// Larger tables would be worse for a cache than what they replace.
static constexpr int64_t kMostBytes = 1 << 20;
/// One-hots of more elements take long to multiply when compiled.
static constexpr int64_t kMostDepth = 2048;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static ArrayRef<int64_t> rowsOf(Value value) {
  return typeOf(value).getShape().drop_back();
}

namespace {
/// A one-hot: row r of its result depends on index r only, and is the same for
/// all indices below `low`, and for all above `high`.
struct OneHotRows {
  Operation *op;
  Value indices;
  int64_t low, high;

  int64_t count() const { return high - low + 1; }
};

class RowTabulation {
public:
  RowTabulation(const OneHotRows &rows, bool idealRounding)
      : rows(rows), idealRounding(idealRounding) {}
  void run();

private:
  bool isMember(Value value) const {
    return value.getDefiningOp() && members.contains(value.getDefiningOp());
  }
  bool isSameForAllRows(Value operand, int64_t rank) const;
  bool worksOnRows(Operation *op) const;
  SmallVector<Operation *> bodyOf(Operation *root) const;
  RankedTensorType tableType(Value value) const;
  eval::Tensor allIndices() const;
  void replace(Operation *root);
  Value placeOf(OpBuilder &builder, Location loc) const;

  const OneHotRows rows;
  const bool idealRounding;
  llvm::SetVector<Operation *> members; ///< in program order
};
} // namespace

//===----------------------------------------------------------------------===//
// One-hots
//===----------------------------------------------------------------------===//

static bool isIndex(Value value) {
  Type element = typeOf(value).getElementType();
  return element.isSignlessInteger(32) || element.isSignlessInteger(64);
}

/// The first of numbers that count up along the last dimension, the only one.
static std::optional<int64_t> firstOfCount(Value value) {
  auto numbers = constantValue(value);
  if (!numbers || numbers->count() < 2 || numbers->shape.empty() ||
      numbers->shape.back() != numbers->count())
    return std::nullopt;
  int64_t first = eval::loadInt(*numbers, 0);
  for (int64_t i = 1; i < numbers->count(); ++i)
    if (eval::loadInt(*numbers, i) != first + i)
      return std::nullopt;
  return first;
}

/// x [.., 1] compared with numbers that count up.
static std::optional<OneHotRows> equalRows(EqualOp op) {
  for (auto [x, numbers] : {std::pair(op.getOperand(0), op.getOperand(1)),
                            std::pair(op.getOperand(1), op.getOperand(0))}) {
    RankedTensorType result = typeOf(op->getResult(0)), type = typeOf(x);
    if (!isIndex(x) || type.getRank() != result.getRank() ||
        type.getRank() < 2 || type.getShape().back() != 1 ||
        rowsOf(x) != rowsOf(op->getResult(0)))
      continue;
    if (auto first = firstOfCount(numbers))
      return OneHotRows{op, x, *first - 1, *first + result.getShape().back()};
  }
  return std::nullopt;
}

static std::optional<OneHotRows> oneHotRows(OneHotOp op) {
  auto depth = static_cast<int64_t>(op.getDepth());
  RankedTensorType result = typeOf(op.getOutput());
  if (!isIndex(op.getIndices()) || typeOf(op.getIndices()).getRank() < 1 ||
      static_cast<int64_t>(op.getAxis()) != result.getRank() - 1 ||
      !constantValue(op.getValues()))
    return std::nullopt;
  return OneHotRows{op, op.getIndices(), -depth - 1, depth};
}

static std::optional<OneHotRows> rowsMadeBy(Operation &op) {
  std::optional<OneHotRows> rows;
  if (auto equal = dyn_cast<EqualOp>(op))
    rows = equalRows(equal);
  else if (auto oneHot = dyn_cast<OneHotOp>(op))
    rows = oneHotRows(oneHot);
  bool isSmall =
      rows && typeOf(op.getResult(0)).getShape().back() <= kMostDepth;
  // Bounds have to be numbers of the indices' type.
  bool fits = rows && rows->low >= INT32_MIN && rows->high <= INT32_MAX;
  if (!isSmall || !fits || constantValue(rows->indices))
    return std::nullopt;
  return rows;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// Whether a constant has one row for all of a result of `rank` dimensions.
bool RowTabulation::isSameForAllRows(Value operand, int64_t rank) const {
  ArrayRef<int64_t> shape = typeOf(operand).getShape();
  bool isOneRow =
      shape.empty() ||
      llvm::all_of(shape.drop_back(), [](int64_t d) { return d == 1; });
  return isOneRow && typeOf(operand).getRank() <= rank &&
         constantValue(operand).has_value();
}

/// A product of members by a constant matrix.
static bool isRowProduct(Operation *op) {
  if (auto product = dyn_cast<MatMulOp>(op))
    return !product.getTransA() && typeOf(product.getB()).getRank() == 2;
  auto gemm = dyn_cast<GemmOp>(op);
  return gemm && !gemm.getTransA();
}

static bool hasGridOfRows(Type type) {
  auto element = quantizedElement(type);
  if (!element)
    return false;
  eval::Quantization grid = gridOf(element);
  return !grid.perTensor() &&
         grid.axis + 1 != cast<RankedTensorType>(type).getRank();
}

bool RowTabulation::worksOnRows(Operation *op) const {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      hasGridOfRows(op->getResult(0).getType()) ||
      !(idealRounding || isSameForAllProfiles(op)))
    return false;
  Value result = op->getResult(0);
  int64_t rank = typeOf(result).getRank();
  if (rank < 2 || rowsOf(result) != rowsOf(rows.op->getResult(0)))
    return false;
  if (isRowProduct(op))
    return isMember(op->getOperand(0)) && constantValue(op->getOperand(1)) &&
           llvm::all_of(op->getOperands().drop_front(2), [&](Value operand) {
             return isSameForAllRows(operand, rank);
           });
  if (!op->hasTrait<ElementwiseStage>() || isa<BatchNormalizationOp>(op))
    return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isMember(operand); }) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isMember(operand) ? rowsOf(operand) == rowsOf(result)
                                    : isSameForAllRows(operand, rank);
         });
}

/// The members that `root` follows from, in order, `root` included.
SmallVector<Operation *> RowTabulation::bodyOf(Operation *root) const {
  DenseSet<Operation *> needed = {root};
  SmallVector<Operation *> body;
  for (Operation *op : llvm::reverse(members)) {
    if (!needed.contains(op))
      continue;
    body.push_back(op);
    if (op == rows.op)
      break;
    for (Value operand : op->getOperands())
      if (isMember(operand))
        needed.insert(operand.getDefiningOp());
  }
  return SmallVector<Operation *>(llvm::reverse(body));
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The type that a value has for all indices: [1, .., indices, elements].
RankedTensorType RowTabulation::tableType(Value value) const {
  SmallVector<int64_t> shape(typeOf(value).getRank(), 1);
  shape.end()[-2] = rows.count();
  shape.back() = typeOf(value).getShape().back();
  return typeOf(value).clone(shape);
}

eval::Tensor RowTabulation::allIndices() const {
  eval::Tensor indices = describe(typeOf(rows.indices));
  bool hasDimension =
      typeOf(rows.indices).getRank() == typeOf(rows.op->getResult(0)).getRank();
  llvm::fill(indices.shape, 1);
  indices.shape.end()[hasDimension ? -2 : -1] = rows.count();
  indices.allocate();
  for (int64_t i = 0; i < rows.count(); ++i)
    eval::storeInt(indices, i, rows.low + i);
  return indices;
}

/// min(max(x, low), high) - low, in the shape of the rows.
Value RowTabulation::placeOf(OpBuilder &builder, Location loc) const {
  Value x = rows.indices;
  Type scalar = RankedTensorType::get({}, typeOf(x).getElementType());
  auto constant = [&](int64_t number) -> Value {
    eval::Tensor value = describe(cast<RankedTensorType>(scalar));
    value.allocate();
    eval::storeInt(value, 0, number);
    return ConstantOp::create(
        builder, loc, scalar,
        elementsAttr(builder.getContext(), value, nodeName(rows.op)));
  };
  x = MaxOp::create(builder, loc, x.getType(), x, constant(rows.low));
  x = MinOp::create(builder, loc, x.getType(), x, constant(rows.high));
  x = SubOp::create(builder, loc, x.getType(), x, constant(rows.low));
  ArrayRef<int64_t> shape = rowsOf(rows.op->getResult(0));
  if (typeOf(x).getShape() == shape)
    return x;
  return ReshapeOp::create(builder, loc, typeOf(x).clone(shape), x, shape);
}

void RowTabulation::replace(Operation *root) {
  Value result = root->getResult(0);
  SmallVector<Operation *> body = bodyOf(root);
  int64_t bytes = describe(tableType(result)).byteCount();
  auto codes = quantizedElement(result.getType());
  if (body.size() < 2 || bytes > kMostBytes ||
      (codes && !gridOf(codes).perTensor()))
    return;
  auto table = evaluateOnRows(body, rows.indices, allIndices(),
                              [&](Value value) { return tableType(value); });
  if (!table)
    return;
  table->shape = {rows.count(), table->shape.back()};
  OpBuilder builder(root);
  Location unnamed = withOutputs(root->getLoc(), {std::string()});
  Value data = ConstantOp::create(
      builder, unnamed, typeOf(result).clone(ArrayRef(table->shape)),
      elementsAttr(builder.getContext(), *table, nodeName(root)));
  auto gather = GatherOp::create(builder, root->getLoc(), result.getType(),
                                 data, placeOf(builder, unnamed), 0);
  remarkAt(rows.op, RemarkCode::RowTable) << edge(result);
  result.replaceAllUsesWith(gather);
}

void RowTabulation::run() {
  members.insert(rows.op);
  for (Operation *op = rows.op->getNextNode(); op; op = op->getNextNode())
    if (worksOnRows(op))
      members.insert(op);
  SmallVector<Operation *> roots;
  for (Operation *op : members)
    if (llvm::any_of(op->getUsers(),
                     [&](Operation *user) { return !members.contains(user); }))
      roots.push_back(op);
  for (Operation *root : roots)
    replace(root);
}

void tally::rewrite::tabulateRows(func::FuncOp function, bool idealRounding) {
  SmallVector<OneHotRows> found;
  for (Operation &op : function.getBody().front())
    if (auto rows = rowsMadeBy(op))
      found.push_back(*rows);
  for (const OneHotRows &rows : found)
    RowTabulation(rows, idealRounding).run();
  removeDead(function);
}
