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

#include "tally/graph/Types.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Tuples.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

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
