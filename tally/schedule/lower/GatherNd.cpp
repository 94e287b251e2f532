//===- GatherNd.cpp - slices picked by tuples of constants ----------------===//
//
// With the batch dimensions as parts of them, tuples name offsets into the
// data; offsets of equal distance are one copy.
//
// Example: tuples (0, 0), (0, 1), ..., (0, 127) of data of 1 x 128 are one copy
// of 128 elements.
//
// Cost: a command for each run of tuples, at worst for each tuple.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Movement.h"
#include "tally/graph/Types.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/lower/Lowerings.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

/// Bytes from the data's first element to the slice of each tuple.
static std::vector<int64_t>
tupleOffsets(const Tensor &data, const eval::Tensor &tuples, size_t batchDims) {
  auto length = size_t(tuples.shape.back());
  ArrayRef<int64_t> rows = ArrayRef(tuples.shape).drop_back();
  int64_t count = eval::elementCount(rows);
  std::vector<int64_t> offsets;
  for (int64_t row = 0; row < count; ++row) {
    int64_t offset = 0, rest = row;
    for (size_t d = rows.size(); d-- > 0; rest /= rows[d])
      offset += d < batchDims ? rest % rows[d] * data.strides[d] : 0;
    for (size_t k = 0; k < length; ++k) {
      int64_t index = eval::loadInt(tuples, row * int64_t(length) + int64_t(k));
      offset += eval::clampIndex(index, data.shape[batchDims + k]) *
                data.strides[batchDims + k];
    }
    offsets.push_back(offset);
  }
  return offsets;
}

/// `count` slices of the dimensions from `first` on, `step` bytes apart.
static Tensor slicesAt(const Tensor &tensor, int64_t offset, int64_t count,
                       int64_t step, size_t first) {
  Tensor view = tensor;
  view.offset += offset;
  view.shape.assign(tensor.shape.begin() + first, tensor.shape.end());
  view.strides.assign(tensor.strides.begin() + first, tensor.strides.end());
  view.shape.insert(view.shape.begin(), count);
  view.strides.insert(view.strides.begin(), count == 1 ? 0 : step);
  return view;
}

/// How many offsets from `first` on have equal distances.
static size_t runFrom(ArrayRef<int64_t> offsets, size_t first) {
  size_t end = std::min(first + 2, offsets.size());
  while (end < offsets.size() &&
         offsets[end] - offsets[end - 1] == offsets[first + 1] - offsets[first])
    ++end;
  return end - first;
}

static Status copySlices(Scheduler &s, const Tensor &data, const Tensor &out,
                         ArrayRef<int64_t> offsets, size_t firstOfSlice) {
  size_t sliceRank = data.shape.size() - firstOfSlice;
  size_t firstOfOut = out.shape.size() - sliceRank;
  int64_t bytes = out.count() * out.bytes() / int64_t(offsets.size());
  for (size_t i = 0; i < offsets.size();) {
    size_t count = runFrom(offsets, i);
    int64_t step = count == 1 ? 0 : offsets[i + 1] - offsets[i];
    Status status = copyPieces(
        s, slicesAt(data, offsets[i], int64_t(count), step, firstOfSlice),
        slicesAt(out, int64_t(i) * bytes, int64_t(count), bytes, firstOfOut));
    if (!status)
      return status;
    i += count;
  }
  return Status::success();
}

static Status lowerGatherNd(Scheduler &s, Operation *op) {
  auto node = cast<nn::GatherNdOp>(op);
  auto tuples = node.getIndices().getDefiningOp<nn::ConstantOp>();
  if (!tuples)
    return s.unsupported(
        "tuples of indices known only when run",
        "make the indices constants, or compile with --fallback=cpu");
  if (getElementTypeOrSelf(node.getData()) !=
      getElementTypeOrSelf(node.getResult()))
    return s.unsupported("a result on another grid than its data",
                         "requantize the data before it");
  auto data = s.home(node.getData());
  if (!data)
    return data.takeError();
  auto out = s.allocateResult(node.getResult(), Layout::RowMajor);
  if (!out)
    return out.takeError();
  eval::Tensor host =
      nn::hostTensor(tuples.getValue(), node.getIndices().getType());
  auto batchDims = size_t(node.getBatchDims());
  s.bind(node.getResult(), *out);
  return copySlices(s, *data, *out, tupleOffsets(*data, host, batchDims),
                    batchDims + size_t(host.shape.back()));
}

llvm::ArrayRef<LoweringRow> tally::schedule::gatherNdLowerings() {
  static const LoweringRow rows[] = {
      {"nn.gather_nd", lowerGatherNd, Reach::Pieces}};
  return rows;
}
