//===- Counted.cpp - what a counter chooses -------------------------------===//
//
// A lookup copies one entry of a table. Where each entry is the one before it,
// moved on by an element, all of them are one line, in which the entry begins
// an element further on, or back, for each unit.
//
// Example: which of 4 rows are there, when n + 1 are: entries 1000, 1100, 1110
// and 1111 are 1111000 from place 3 - n on.
//
// Cost: a copy of an entry; constants of an entry and a unit's element each, or
// of all entries.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/Counted.h"
#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/ops/State.h"

#include "llvm/ADT/Sequence.h"

#include <cstring>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

std::optional<CountedTable> tally::schedule::countedTable(nn::GatherOp node) {
  auto index = llvm::dyn_cast<BlockArgument>(node.getIndices());
  bool isTable = node.getData().getDefiningOp<nn::ConstantOp>() != nullptr;
  if (!index || !isTable || node.getAxis() != 0)
    return std::nullopt;
  auto function = llvm::cast<func::FuncOp>(index.getOwner()->getParentOp());
  for (auto [i, counter] : llvm::enumerate(nn::countersOf(function)))
    if (counter.argument == index)
      return CountedTable{node.getData(), {int64_t(i), counter.most, 0}};
  return std::nullopt;
}

std::optional<CountedTable> tally::schedule::countedTable(Value value) {
  while (auto reshape = value.getDefiningOp<nn::ReshapeOp>())
    value = reshape.getInput();
  auto gather = value.getDefiningOp<nn::GatherOp>();
  return gather ? countedTable(gather) : std::nullopt;
}

namespace {
/// Bytes in which the entry of n begins at first + n step.
struct Entries {
  std::vector<uint8_t> bytes;
  int64_t first = 0, step = 0;
};
} // namespace

static Entries allEntries(const eval::Tensor &table) {
  auto *begin = reinterpret_cast<const uint8_t *>(table.storage.get());
  return {{begin, begin + table.byteCount()},
          0,
          table.byteCount() / table.shape.front()};
}

/// The entries as one line, if each is the one before it an element further on
/// (`forward`), or back.
static std::optional<Entries> lineOf(const eval::Tensor &table, bool forward) {
  Entries all = allEntries(table);
  int64_t element = eval::byteSize(table.element), count = table.shape.front();
  auto kept = size_t(all.step - element);
  const uint8_t *bytes = all.bytes.data();
  for (int64_t n = 0; n + 1 < count; ++n) {
    const uint8_t *before = bytes + n * all.step, *after = before + all.step;
    bool isMoved = std::memcmp(forward ? before + element : before,
                               forward ? after : after + element, kept) == 0;
    if (!isMoved)
      return std::nullopt;
  }
  Entries line{
      {}, forward ? 0 : (count - 1) * element, forward ? element : -element};
  auto add = [&](const uint8_t *from, int64_t size) {
    line.bytes.insert(line.bytes.end(), from, from + size);
  };
  // The entry at the line's beginning, then the last element of each other.
  int64_t first = forward ? 0 : count - 1;
  add(bytes + first * all.step, all.step);
  for (int64_t i = 1; i < count; ++i)
    add(bytes + std::abs(first - i) * all.step + int64_t(kept), element);
  return line;
}

static Entries entriesOf(const eval::Tensor &table) {
  for (bool forward : {true, false})
    if (auto line = lineOf(table, forward))
      return std::move(*line);
  return allEntries(table);
}

static Status lookUp(Scheduler &s, nn::GatherOp node,
                     const CountedTable &counted) {
  auto type = cast<RankedTensorType>(counted.table.getType());
  auto constant = counted.table.getDefiningOp<nn::ConstantOp>();
  Entries entries = entriesOf(nn::hostTensor(constant.getValue(), type));
  auto out = s.allocateResult(node.getResult(), Layout::RowMajor);
  if (!out)
    return out.takeError();
  auto entry = s.rowMajor(
      s.constant(nn::tensorName(node.getResult()), std::move(entries.bytes)),
      node.getResult().getType());
  if (!entry)
    return entry.takeError();
  entry->offset = entries.first;
  entry->moving = counted.moving;
  entry->moving->step = entries.step;
  s.bind(node.getResult(), *out);
  return s.copy(*entry, *out);
}

PiecewiseNode tally::schedule::lookupNode(Scheduler &s, nn::GatherOp node,
                                          const CountedTable &table) {
  PiecewiseNode made;
  made.op = node;
  made.uncut = llvm::to_vector(
      llvm::seq<int64_t>(0, node.getResult().getType().getRank()));
  made.layout = Layout::RowMajor;
  made.emit = [&s, node, table] { return lookUp(s, node, table); };
  return made;
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

nn::ScatterNdOp tally::schedule::countedScatter(Value value) {
  Operation *op = value.getDefiningOp();
  while (llvm::isa_and_nonnull<nn::ReshapeOp, nn::StorageCastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto scatter = llvm::dyn_cast_or_null<nn::ScatterNdOp>(op);
  return scatter && countedTable(scatter.getIndices()) ? scatter
                                                       : nn::ScatterNdOp();
}
