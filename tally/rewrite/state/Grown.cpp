//===- Grown.cpp - what depends on how much a cache holds -----------------===//
//
// Walks four graphs at once, from their results to their inputs: what makes a
// tensor in one of them has to make its like in the others. Example, a cache of
// 7 rows that gets one more, of which 7, 6, 5 and 2 are there:
//
//   present = concat(past, x)     8x4, 7x4, 6x4, 3x4    grows along dimension 0
//   start   = constant            7, 6, 5, 2            counts, 1 for each row
//   ones    = constant            8 x 1, 7 x 1, ...     grows, the rest is the
//   same
//
// Cost: one visit of each operation.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/state/Grown.h"
#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/ops/Folding.h"
#include "tally/ops/Ops.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

namespace {
/// The same value in all four graphs: with all rows, one fewer, two fewer, and
/// few rows.
using Versions = std::array<Value, 4>;
using Tensors = std::array<eval::Tensor, 4>;

class Comparison {
public:
  Comparison(RowOrder order, int64_t fewer) : order(order), fewer(fewer) {}
  Result<Grown> run(std::array<func::FuncOp, 4> functions);

private:
  Status visit(const Versions &values);
  Status visitOperations(const Versions &values);
  Status compareConstants(const Versions &values, const Tensors &contents);
  Status compareCounts(const Versions &values, const Tensors &contents);
  bool sharesEntries(const eval::Tensor &more, const eval::Tensor &less,
                     int64_t axis);
  /// Notes the values' growing dimension. GROW-2.
  Status compareTypes(const Versions &values);

  const RowOrder order;
  const int64_t fewer; ///< rows that the last graph lacks
  Grown grown;
  SmallVector<Versions> open;
};
} // namespace

static tally::Diagnostic refusal(const char *rule, Value value,
                                 std::string message) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = rule;
  Operation *op = value.getDefiningOp();
  failure.node = op ? nodeName(op) : tensorName(value).str();
  failure.message = std::move(message);
  failure.hint = "a cache of fixed capacity that the model itself updates at a "
                 "position is a state like any other";
  return failure;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The dimension in which `more` is larger by `rows`, -1 when they are equal;
/// nothing when they differ otherwise.
static std::optional<int64_t> growth(ArrayRef<int64_t> more,
                                     ArrayRef<int64_t> less, int64_t rows) {
  if (more.size() != less.size())
    return std::nullopt;
  int64_t axis = -1;
  for (auto [d, a, b] : llvm::enumerate(more, less)) {
    if (a == b)
      continue;
    if (axis >= 0 || a != b + rows)
      return std::nullopt;
    axis = static_cast<int64_t>(d);
  }
  return axis;
}

Status Comparison::compareTypes(const Versions &values) {
  auto first = growth(shapeOf(values[0]), shapeOf(values[1]), 1);
  auto second = growth(shapeOf(values[1]), shapeOf(values[2]), 1);
  auto all = growth(shapeOf(values[0]), shapeOf(values[3]), fewer);
  if (!first || first != second || first != all)
    return refusal("GROW-2", values[0],
                   "its result has not one entry for each row of the cache");
  if (*first >= 0)
    grown.axes[values[0]] = *first;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Whether all entries of `less` are in `more`, which has more at the end or at
/// the front.
bool Comparison::sharesEntries(const eval::Tensor &more,
                               const eval::Tensor &less, int64_t axis) {
  // Blocks of one index of the dimensions before `axis`; an entry is `entry`
  // bytes in each.
  int64_t entry = eval::stridesOf(more.shape)[axis] * byteSize(more.element);
  int64_t block = entry * less.shape[axis];
  int64_t extra = entry * (more.shape[axis] - less.shape[axis]);
  int64_t shift = order == RowOrder::FromBack ? extra : 0;
  for (int64_t at = 0, n = 0; at < less.byteCount(); at += block, ++n)
    if (std::memcmp(more.storage.get() + at + n * extra + shift,
                    less.storage.get() + at, block))
      return false;
  return true;
}

static bool sameBytes(const eval::Tensor &a, const eval::Tensor &b) {
  return a.element == b.element &&
         !std::memcmp(a.storage.get(), b.storage.get(), a.byteCount());
}

/// Element `i` where it is an integer that sums of its type hold exactly.
static std::optional<int64_t> integerAt(const eval::Tensor &tensor, int64_t i) {
  if (tensor.element == eval::Element::I32 ||
      tensor.element == eval::Element::I64)
    return eval::loadInt(tensor, i);
  if (tensor.element != eval::Element::F32)
    return std::nullopt;
  double value = eval::loadFloat(tensor, i);
  bool isExact = std::abs(value) < 1 << 23 && std::nearbyint(value) == value;
  return isExact ? std::optional(static_cast<int64_t>(value)) : std::nullopt;
}

Status Comparison::compareCounts(const Versions &values,
                                 const Tensors &contents) {
  const auto &[more, less, least, few] = contents;
  eval::Tensor step = more;
  step.allocate();
  bool isCount = true;
  for (int64_t i = 0, e = more.count(); isCount && i < e; ++i) {
    auto a = integerAt(more, i), b = integerAt(less, i),
         c = integerAt(least, i), d = integerAt(few, i);
    isCount =
        a && b && c && d && *a - *b == *b - *c && *a - *d == fewer * (*a - *b);
    if (isCount && eval::isFloat(step.element))
      eval::storeFloat(step, i, static_cast<double>(*a - *b));
    else if (isCount)
      eval::storeInt(step, i, *a - *b);
  }
  if (!isCount)
    return refusal("GROW-3", values[0],
                   "its result is another constant for each number of rows "
                   "that the cache holds");
  grown.counts[values[0]] = step;
  return Status::success();
}

Status Comparison::compareConstants(const Versions &values,
                                    const Tensors &contents) {
  int64_t axis = grown.axisOf(values[0]);
  if (axis < 0)
    return sameBytes(contents[0], contents[1]) &&
                   sameBytes(contents[1], contents[2]) &&
                   sameBytes(contents[2], contents[3])
               ? Status::success()
               : compareCounts(values, contents);
  if (sharesEntries(contents[0], contents[1], axis) &&
      sharesEntries(contents[1], contents[2], axis) &&
      sharesEntries(contents[0], contents[3], axis))
    return Status::success();
  return refusal("GROW-3", values[0],
                 "its result, a constant, has other entries for each number of "
                 "rows that the cache holds");
}

static std::optional<Tensors> contentsOf(const Versions &values) {
  Tensors contents;
  for (auto [value, tensor] : llvm::zip(values, contents)) {
    auto found = constantValue(value);
    if (!found)
      return std::nullopt;
    tensor = std::move(*found);
  }
  return contents;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Attributes that are sizes, which the types tell.
static bool isSize(Operation *op, StringRef attribute) {
  return (isa<ReshapeOp, ExpandOp>(op) && attribute == "shape") ||
         (isa<SliceOp>(op) && attribute == "sizes");
}

static bool sameOperation(Operation *a, Operation *b) {
  if (a->getName() != b->getName() ||
      a->getNumOperands() != b->getNumOperands() ||
      a->getNumResults() != b->getNumResults())
    return false;
  DictionaryAttr others = b->getAttrDictionary();
  return llvm::all_of(a->getAttrDictionary(), [&](NamedAttribute attribute) {
    return isSize(a, attribute.getName()) ||
           others.get(attribute.getName()) == attribute.getValue();
  });
}

Status Comparison::visitOperations(const Versions &values) {
  std::array<Operation *, 4> ops;
  for (auto [value, op] : llvm::zip(values, ops))
    op = value.getDefiningOp();
  bool areLike = ops[0] && llvm::all_of(ops, [&](Operation *op) {
                   return op && sameOperation(ops[0], op);
                 });
  if (!areLike || isa<ConstantOp>(ops[0])) {
    auto contents = contentsOf(values);
    return contents ? compareConstants(values, *contents)
                    : refusal("GROW-1", values[0],
                              "the graph has another form for each number of "
                              "rows that the cache holds");
  }
  for (unsigned i = 0; i < ops[0]->getNumOperands(); ++i)
    open.push_back({ops[0]->getOperand(i), ops[1]->getOperand(i),
                    ops[2]->getOperand(i), ops[3]->getOperand(i)});
  return Status::success();
}

Status Comparison::visit(const Versions &values) {
  if (Status status = compareTypes(values); !status)
    return status;
  auto argument = dyn_cast<BlockArgument>(values[0]);
  if (!argument)
    return visitOperations(values);
  for (Value other : values)
    if (auto like = dyn_cast<BlockArgument>(other);
        !like || like.getArgNumber() != argument.getArgNumber())
      return refusal("GROW-1", values[0],
                     "the graph has another form for each number of rows that "
                     "the cache holds");
  return Status::success();
}

Result<Grown> Comparison::run(std::array<func::FuncOp, 4> functions) {
  std::array<Operation *, 4> ends;
  for (auto [function, end] : llvm::zip(functions, ends))
    end = function.getBody().front().getTerminator();
  for (unsigned i = 0; i < ends[0]->getNumOperands(); ++i)
    open.push_back({ends[0]->getOperand(i), ends[1]->getOperand(i),
                    ends[2]->getOperand(i), ends[3]->getOperand(i)});
  for (unsigned i = 0; i < functions[0].getNumArguments(); ++i)
    open.push_back({functions[0].getArgument(i), functions[1].getArgument(i),
                    functions[2].getArgument(i), functions[3].getArgument(i)});
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Versions values = open.pop_back_val();
    // An optional operand that is absent is in no list.
    if (!seen.insert(values[0]).second)
      continue;
    if (Status status = visit(values); !status)
      return status.takeError();
  }
  return std::move(grown);
}

Result<Grown> tally::rewrite::findGrown(func::FuncOp function,
                                        func::FuncOp less, func::FuncOp least,
                                        func::FuncOp few, int64_t fewer,
                                        RowOrder order) {
  return Comparison(order, fewer).run({function, less, least, few});
}
