//===- ScatterNd.cpp - slices written at tuples of indices ----------------===//
//
// The result begins as the data; the slices follow. No engine addresses by
// data, but where the tuples are constants, or a counter chooses among
// constants, the places are known when the copies are issued: one offset for
// each tuple, all of which a unit of the counter moves by the same bytes.
//
// Example: a cache of 2 heads x 128 rows x 64 bytes gets row n of each: two
// runs of 64 bytes, 8,192 apart, at 64 n.
//
// A state that is written over its old value gets the slices alone; who reads
// the result gets it in a tensor of its own.
//
// Cost: a copy of the data where the result is read, and one for each run of
// tuples, twice where a state gets them, too.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Types.h"
#include "tally/schedule/CallerBuffers.h"
#include "tally/schedule/lower/Counted.h"
#include "tally/schedule/lower/Lacking.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Tuples.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

namespace {
/// The tuples for each value of a counter, or of constants.
struct Places {
  eval::Tensor tuples; ///< [values, I.., length]
  Moving moving;       ///< without a step
};
/// Where the slices lie in a tensor.
struct Offsets {
  std::vector<int64_t> first; ///< of each tuple, for the counter's value 0
  int64_t step = 0;           ///< bytes that a unit of the counter adds
};
} // namespace

static eval::Tensor contentsOf(nn::ConstantOp constant, Value value) {
  return nn::hostTensor(constant.getValue(),
                        cast<RankedTensorType>(value.getType()));
}

static std::optional<Places> placesOf(nn::ScatterNdOp node) {
  Value indices = node.getIndices();
  if (auto counted = countedTable(indices)) {
    auto constant = counted->table.getDefiningOp<nn::ConstantOp>();
    Places places{contentsOf(constant, counted->table), counted->moving};
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(indices.getType()).getShape();
    places.tuples.shape.assign(shape.begin(), shape.end());
    places.tuples.shape.insert(places.tuples.shape.begin(),
                               counted->moving.most + 1);
    return places;
  }
  auto constant = indices.getDefiningOp<nn::ConstantOp>();
  if (!constant)
    return std::nullopt;
  Places places{contentsOf(constant, indices), {}};
  places.tuples.shape.insert(places.tuples.shape.begin(), 1);
  return places;
}

/// Nothing where a unit of the counter does not move all slices by the same
/// bytes.
static std::optional<Offsets> offsetsIn(const Tensor &data,
                                        const Places &places) {
  std::vector<int64_t> all = tupleOffsets(data, places.tuples, 0);
  auto values = size_t(places.moving.most + 1), count = all.size() / values;
  Offsets offsets{{all.begin(), all.begin() + ptrdiff_t(count)}, 0};
  if (values > 1)
    offsets.step = all[count] - all[0];
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i] != offsets.first[i % count] + int64_t(i / count) * offsets.step)
      return std::nullopt;
  return offsets;
}

static Status store(Scheduler &s, const Tensor &from, const Tensor &to) {
  return from.isGlobal() || to.isGlobal() ? s.copy(from, to)
                                          : copyElements(s, from, to);
}

/// The updates, which are dense, to their places in `to`.
static Status storeSlices(Scheduler &s, const Tensor &updates, const Tensor &to,
                          const Offsets &offsets, const Places &places) {
  auto length = size_t(places.tuples.shape.back());
  size_t sliceRank = to.shape.size() - length;
  size_t firstOfSlice = updates.shape.size() - sliceRank;
  ArrayRef<int64_t> all = offsets.first;
  int64_t bytes = updates.count() * updates.bytes() / int64_t(all.size());
  for (size_t i = 0; i < all.size();) {
    size_t count = runFrom(all, i);
    int64_t step = count == 1 ? 0 : all[i + 1] - all[i];
    Tensor target = slicesAt(to, all[i], int64_t(count), step, length);
    if (places.moving.most > 0) {
      target.moving = places.moving;
      target.moving->step = offsets.step;
    }
    Status status = store(s,
                          slicesAt(updates, int64_t(i) * bytes, int64_t(count),
                                   bytes, firstOfSlice),
                          target);
    if (!status)
      return status;
    i += count;
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// What kRows says of slices of `bytes` at `offsets` in a state of `all` bytes;
/// nothing where they are no equal runs, the first one at its beginning.
static std::optional<SmallVector<int64_t>>
rowsOf(Offsets offsets, int64_t counter, int64_t bytes, int64_t all) {
  llvm::sort(offsets.first);
  SmallVector<std::pair<int64_t, int64_t>> runs; // begin, bytes
  for (int64_t offset : offsets.first)
    if (!runs.empty() && runs.back().first + runs.back().second == offset)
      runs.back().second += bytes;
    else
      runs.push_back({offset, bytes});
  auto count = int64_t(runs.size());
  int64_t pitch = all / count;
  for (auto [i, run] : llvm::enumerate(runs))
    if (run != std::pair(int64_t(i) * pitch, runs.front().second))
      return std::nullopt;
  return SmallVector<int64_t>{counter, count, pitch, offsets.step,
                              runs.front().second};
}

static Status storeInState(Scheduler &s, nn::ScatterNdOp node,
                           const Tensor &updates, const Tensor &memory,
                           const Places &places) {
  auto offsets = offsetsIn(memory, places);
  int64_t slice =
      updates.count() * updates.bytes() / int64_t(offsets->first.size());
  auto rows = rowsOf(*offsets, places.moving.counter, slice,
                     memory.count() * memory.bytes());
  if (!rows)
    return s.unsupported("rows of a state that are no equal runs of its bytes",
                         "let the cache begin with its first row");
  memory.storage.getDefiningOp()->setAttr(
      kRows, DenseI64ArrayAttr::get(node.getContext(), *rows));
  return storeSlices(s, updates, memory, *offsets, places);
}

/// How many read the result, itself or a view.
static int64_t countReaders(Value result) {
  int64_t count = 0;
  for (Operation *user : result.getUsers())
    count += llvm::isa<nn::ReshapeOp, nn::StorageCastOp>(user)
                 ? countReaders(user->getResult(0))
                 : 1;
  return count;
}

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

/// The updates in SRAM, without gaps.
static Result<Tensor> updatesOf(Scheduler &s, nn::ScatterNdOp node) {
  auto home = s.home(node.getUpdates());
  if (!home)
    return home;
  auto dense =
      s.allocate("updates", node.getUpdates().getType(), Layout::RowMajor);
  if (!dense)
    return dense;
  if (Status status = copyPieces(s, *home, *dense); !status)
    return status.takeError();
  return dense;
}

static Result<Tensor> startAsData(Scheduler &s, nn::ScatterNdOp node) {
  auto data = s.home(node.getData());
  if (!data)
    return data;
  auto result = s.allocateResult(node.getResult(), Layout::RowMajor);
  if (!result)
    return result;
  if (Status status = copyPieces(s, *data, *result); !status)
    return status.takeError();
  return result;
}

static Status lowerScatterNd(Scheduler &s, Operation *op) {
  auto node = cast<nn::ScatterNdOp>(op);
  auto places = placesOf(node);
  auto layout = s.rowMajor({}, node.getResult().getType());
  if (!layout)
    return layout.takeError();
  bool isKnown = places && node.getReduction() == "none";
  auto offsets = isKnown ? offsetsIn(*layout, *places) : std::nullopt;
  if (!offsets)
    return s.unsupported(lackingFor("nn.scatter_nd").str(),
                         "compile with --fallback=cpu, or for the CPU");
  auto updates = updatesOf(s, node);
  if (!updates)
    return updates.takeError();
  auto memory = s.caches.find(node.getResult());
  bool isState = memory != s.caches.end();
  if (isState && countReaders(node.getResult()) == 1) { // by the state
    s.bind(node.getResult(), memory->second);
    return storeInState(s, node, *updates, memory->second, *places);
  }
  auto result = startAsData(s, node);
  if (!result)
    return result.takeError();
  s.bind(node.getResult(), *result);
  if (Status status = storeSlices(s, *updates, *result, *offsets, *places);
      !status)
    return status;
  return isState ? storeInState(s, node, *updates, memory->second, *places)
                 : Status::success();
}

llvm::ArrayRef<LoweringRow> tally::schedule::scatterLowerings() {
  static const LoweringRow rows[] = {
      {"nn.scatter_nd", lowerScatterNd, Reach::Pieces},
  };
  return rows;
}
