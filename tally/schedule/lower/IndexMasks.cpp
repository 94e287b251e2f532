//===- IndexMasks.cpp - triangles, one-hot rows, running sums -------------===//
//
// What an element is depends on where it stands: a constant mask or constant
// numbers of places say so to a selection, and a running sum is one addition
// of neighbouring indices after the other, in the operator's order.
//
// Example: the lower triangle of 2 x 2 selects by 1 0 1 1 between x and 0.
//
// Cost: triangles and one-hot rows one pass over the result; a running sum a
// command for each index along its axis.
//
//===----------------------------------------------------------------------===//

#include "tally/ops/Ops.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Steps.h"
#include "tally/schedule/lower/Views.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::Function;
using machine::ElementType;

using Operands = llvm::ArrayRef<Tensor>;

//===----------------------------------------------------------------------===//
// Trilu
//===----------------------------------------------------------------------===//

/// 1 where the triangle keeps an element of rows x columns.
static std::vector<uint8_t> triangle(nn::TriluOp node, int64_t rows,
                                     int64_t columns) {
  auto k = int64_t(node.getK());
  std::vector<uint8_t> mask;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      mask.push_back(node.getUpper() ? j - i >= k : j - i <= k);
  return mask;
}

static Result<PiecewiseNode> prepareTrilu(Scheduler &s, Operation *op) {
  auto node = cast<nn::TriluOp>(op);
  int64_t rank = node.getResult().getType().getRank();
  auto matrix = node.getResult().getType().getShape().take_back(2);
  return formulaNode(s, op,
                     [matrix, mask = triangle(node, matrix[0], matrix[1])](
                         Steps &v, Operands in, const Tensor &out) {
                       Tensor isKept =
                           v.constant(matrix, ElementType::U8, mask);
                       v.select(isKept, in[0], v.integer(0, out.type), &out);
                     },
                     {rank - 2, rank - 1});
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

/// 0, 1, ... along `axis` of a tensor of `rank` dimensions, of i64.
static Tensor placesAlong(Steps &v, int64_t depth, int64_t axis, int64_t rank) {
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < depth; ++i)
    for (int shift = 0; shift < 64; shift += 8)
      bytes.push_back(uint8_t(i >> shift));
  SmallVector<int64_t> shape(size_t(rank - axis), 1);
  shape[0] = depth;
  return v.constant(shape, ElementType::I64, std::move(bytes));
}

static void oneHot(Steps &v, Operands in, int64_t axis, int64_t depth,
                   const Tensor &out) {
  Tensor index = v.cast(withDimension(in[0], axis), ElementType::I64);
  Tensor fromEnd =
      v.integers(Function::IntAdd, {index, v.integer(depth, index.type)});
  Tensor isNegative =
      v.integers(Function::IntLt, {index, v.integer(0, index.type)});
  Tensor counted = v.select(isNegative, fromEnd, index);
  Tensor isOn = v.integers(Function::IntEq,
                           {counted, placesAlong(v, depth, axis, out.rank())});
  auto value = [&](int64_t i) {
    Tensor one = indicesOf(in[1], 0, i, 1);
    one.shape.clear();
    one.strides.clear();
    return one;
  };
  v.select(isOn, value(1), value(0), &out);
}

static Result<PiecewiseNode> prepareOneHot(Scheduler &s, Operation *op) {
  auto node = cast<nn::OneHotOp>(op);
  auto axis = int64_t(node.getAxis()), depth = int64_t(node.getDepth());
  if (llvm::isa<FloatType>(node.getIndices().getType().getElementType()))
    return s.unsupported("indices that are floats",
                         "cast them to i64, or compile with --fallback=cpu");
  PiecewiseNode made = formulaNode(
      s, op,
      [=](Steps &v, Operands in, const Tensor &out) {
        oneHot(v, in, axis, depth, out);
      },
      {axis}, /*temporaries=*/4);
  made.layout = Layout::RowMajor;
  made.reads[0] = {node.getIndices(), [axis](const Piece &result) {
                     Piece piece = result;
                     piece.erase(piece.begin() + axis);
                     return piece;
                   }};
  made.reads[1] = wholeRead(node.getValues());
  return made;
}

//===----------------------------------------------------------------------===//
// CumSum
//===----------------------------------------------------------------------===//

/// `out` begins with `first`, where that is given, and goes on with the running
/// sums of `in`.
static void runningSums(Steps &v, const Tensor &in, size_t axis,
                        bool isReversed, bool isExclusive, const Tensor &out) {
  int64_t size = in.shape[axis];
  auto at = [&](const Tensor &tensor, int64_t k) {
    return indicesOf(tensor, axis, isReversed ? size - 1 - k : k, 1);
  };
  auto copy = [&](const Tensor &from, const Tensor &to) {
    Work work;
    v.apply(work, from, to.type, &to);
  };
  int64_t begin = isExclusive;
  if (isExclusive)
    copy(v.integer(0, out.type), at(out, 0));
  if (begin < size)
    copy(at(in, 0), at(out, begin));
  for (int64_t k = begin + 1; k < size; ++k) {
    Tensor sum = at(out, k);
    SmallVector<Tensor, 2> terms = {at(out, k - 1), at(in, k - begin)};
    if (out.type == ElementType::F32)
      v.floats(Function::FloatAdd, terms, &sum);
    else
      v.integers(Function::IntAdd, terms, &sum);
  }
}

static Result<PiecewiseNode> prepareCumSum(Scheduler &s, Operation *op) {
  auto node = cast<nn::CumSumOp>(op);
  Type element = node.getResult().getType().getElementType();
  if (llvm::isa<FloatType>(element) && !element.isF32())
    return s.unsupported("running sums of floats other than f32",
                         "cast them to f32, or compile with --fallback=cpu");
  auto axis = int64_t(node.getAxis());
  bool isReversed = node.getReverse(), isExclusive = node.getExclusive();
  return formulaNode(
      s, op,
      [=](Steps &v, Operands in, const Tensor &out) {
        runningSums(v, in[0], size_t(axis), isReversed, isExclusive, out);
      },
      {axis}, /*temporaries=*/0);
}

llvm::ArrayRef<LoweringRow> tally::schedule::indexMaskLowerings() {
  static const LoweringRow rows[] = {
      {"nn.cum_sum", prepareCumSum},
      {"nn.one_hot", prepareOneHot},
      {"nn.trilu", prepareTrilu},
  };
  return rows;
}
