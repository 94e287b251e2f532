//===- Gather.cpp - elements picked by indices of a run -------------------===//
//
// No engine addresses by data. Slices are chosen instead: the result begins as
// slice 0 and takes slice d where the index is d, a comparison and a selection
// for each d. Indices are first counted from the start and clamped, as the
// operator says.
//
// Example: 128 tokens of 2 types, slices of 384 floats: one comparison of 128
// numbers and one selection of 128 x 384.
//
// Cost: as many passes over the result as there are slices; more slices than a
// few are multiplied by ones and zeros instead (OneHotGather.cpp).
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/Gather.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/lower/Counted.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Views.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::Function;
using machine::ElementType;

using Operands = llvm::ArrayRef<Tensor>;

static constexpr int64_t kMostSelected = 64;

Tensor schedule::clampedIndices(Steps &v, const Tensor &indices, int64_t size) {
  auto number = [&](int64_t value) { return v.integer(value, indices.type); };
  Tensor fromEnd = v.integers(Function::IntAdd, {indices, number(size)});
  Tensor isNegative = v.integers(Function::IntLt, {indices, number(0)});
  Tensor counted = v.select(isNegative, fromEnd, indices);
  Tensor raised = v.integers(Function::IntMax, {counted, number(0)});
  return v.integers(Function::IntMin, {raised, number(size - 1)});
}

/// The indices with a dimension of one element for each of B.
static Tensor alongResult(Tensor indices, const Gathering &g) {
  for (int64_t d = g.axis + 1; d < g.rank; ++d)
    indices = withDimension(indices, indices.rank());
  return indices;
}

/// Slice d of the data with a dimension of one element for each of I.
static Tensor sliceOfData(const Tensor &data, const Gathering &g, int64_t d) {
  Tensor slice = indicesOf(data, size_t(g.axis), d, 1);
  for (int64_t i = 1; i < g.indexRank; ++i)
    slice = withDimension(slice, g.axis);
  if (g.indexRank > 0)
    return slice;
  slice.shape.erase(slice.shape.begin() + g.axis);
  slice.strides.erase(slice.strides.begin() + g.axis);
  return slice;
}

static void gather(Steps &v, const Tensor &data, const Tensor &indices,
                   const Gathering &g, const Tensor &out) {
  int64_t size = data.shape[size_t(g.axis)];
  Tensor chosen = alongResult(clampedIndices(v, indices, size), g);
  Work copy;
  v.apply(copy, sliceOfData(data, g, 0), out.type, &out);
  for (int64_t d = 1; d < size; ++d) {
    Tensor isThis =
        v.integers(Function::IntEq, {chosen, v.integer(d, indices.type)});
    v.select(isThis, sliceOfData(data, g, d), out, &out);
  }
}

static Result<PiecewiseNode> prepareGather(Scheduler &s, Operation *op) {
  auto node = cast<nn::GatherOp>(op);
  RankedTensorType data = node.getData().getType();
  if (data.getElementType() != node.getResult().getType().getElementType())
    return s.unsupported("a result on another grid than its data");
  if (auto counted = countedTable(node))
    return lookupNode(s, node, *counted);
  Gathering g{int64_t(node.getAxis()), data.getRank(),
              node.getIndices().getType().getRank()};
  if (data.getDimSize(g.axis) > kMostSelected)
    return prepareOneHotGather(s, node, g);
  int64_t rank = node.getResult().getType().getRank();
  SmallVector<int64_t> uncut = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  PiecewiseNode made = formulaNode(
      s, op,
      [g](Steps &v, Operands in, const Tensor &out) {
        gather(v, in[0], in[1], g, out);
      },
      uncut, /*temporaries=*/1);
  for (Read &read : made.reads)
    read = wholeRead(read.value);
  return made;
}

llvm::ArrayRef<LoweringRow> tally::schedule::gatherLowerings() {
  static const LoweringRow rows[] = {{"nn.gather", prepareGather}};
  return rows;
}
