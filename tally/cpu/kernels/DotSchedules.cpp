//===- DotSchedules.cpp - schedules of products of bytes, with costs ------===//
//
// Candidates are all shapes of tiles that fit the registers, with a few blocks
// of rows and steps that fit the first and second cache. Where products are of
// halves, there are those that copy both sides (HalfProduct.cpp) besides. The
// cost of one is that of its tiles, with the smaller ones that are left over at
// the edges: a tile's step (one word of each row) takes as long as its products
// or its loads, whichever is more, plus something for the loop. What else a
// schedule does is charged where it is done: halves taken apart, sums that wait
// in memory, columns that are read again, lines asked for.
//
// Of caches one thing is guessed: copies have to stay in the first one, and
// what fills them has to be asked for. So products of halves with many steps
// are made in pieces of about 32. Whether other blocks pay, or other
// prefetches, is for a measurement to say.
//
// Example: 7 rows and 64 columns with AVX-512 VNNI. Tiles of 6x4 need a second
// one of 1x4, and those of 4x4 one of 3x4. Per word, in half cycles:
//
//     6x4 and 1x4    2 max(24, 5, 11) + 1  +  2 max(4, 5, 9) + 1   =  68
//     4x4 and 3x4    2 max(16, 5, 10) + 1  +  2 max(12, 5, 10) + 1  =  58
//
// Cost: at most 24 x 4 tiles with 32 variants, and 12 with 15 that copy, a few
// operations each.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/DotSchedules.h"
#include "tally/cpu/ProductSchedule.h"
#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/WinogradSchedules.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tally;
using namespace tally::cpu;

int64_t tally::cpu::registerLanesOf(Tier tier) {
  switch (tier) {
  case Tier::Avx512:
  case Tier::Amx:
    return 16;
  case Tier::Baseline:
  case Tier::I8mm:
    return 4;
  default:
    return 8;
  }
}

bool tally::cpu::hasHalves(Tier tier) {
  return tier == Tier::Baseline || tier == Tier::Avx2;
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Bytes of a block of rows: of the first or second cache a part.
static constexpr int64_t kRowBlockBytes[] = {16 << 10, 128 << 10};
static constexpr int64_t kStepBlocks[] = {64, 128, 256};
/// Bytes of sums that may wait in memory, of the second cache a part.
static constexpr int64_t kWaitingBytes = 64 << 10;

static int64_t maxVectors(Tier tier) {
  return registerLanesOf(tier) == 16 ? 4 : 2;
}

/// Of 32 wide registers, 24 for sums; else what the lanes of one term and two
/// more leave of 16, of AArch64 32.
static int64_t maxRows(Tier tier, int64_t vectors) {
  int64_t lanes = registerLanesOf(tier);
  if (lanes == 16)
    return 24 / vectors;
  int64_t registers = vectors * kDotLanes / lanes;
  return ((tier == Tier::I8mm ? 32 : 16) - registers - 2) / registers;
}

static int64_t waitingBytes(int64_t rows, int64_t vectors) {
  return rows * vectors * kDotLanes * int64_t(sizeof(int32_t));
}

/// All rows, or whole tiles: of about so many bytes, or whose sums can wait;
/// none twice.
static std::vector<int64_t> rowBlocks(const ProductTask &task, int64_t rows,
                                      int64_t vectors) {
  std::vector<int64_t> blocks = {task.rows};
  int64_t rowBytes = task.steps * kDotTerms;
  for (int64_t most :
       {kRowBlockBytes[0] / rowBytes, kRowBlockBytes[1] / rowBytes,
        kWaitingBytes / waitingBytes(1, vectors)}) {
    int64_t block = std::max<int64_t>(most / rows, 1) * rows;
    if (block < task.rows && !llvm::is_contained(blocks, block))
      blocks.push_back(block);
  }
  return blocks;
}

/// All steps, or a few, where the sums of so many rows and vectors can wait.
static std::vector<int64_t> stepBlocks(const ProductTask &task, int64_t rows,
                                       int64_t vectors) {
  std::vector<int64_t> blocks = {task.steps};
  for (int64_t block : kStepBlocks)
    if (block < task.steps && waitingBytes(rows, vectors) <= kWaitingBytes)
      blocks.push_back(block);
  return blocks;
}

/// Those with one tile.
static void addVariants(const ProductTask &task, int64_t rows, int64_t vectors,
                        std::vector<ProductSchedule> &all) {
  for (int64_t rowBlock : rowBlocks(task, rows, vectors))
    for (int64_t stepBlock : stepBlocks(task, rowBlock, vectors))
      for (bool prefetches : {false, true})
        all.push_back({rows, vectors, rowBlock, stepBlock, false, prefetches});
}

//===----------------------------------------------------------------------===//
// Candidates that copy
//===----------------------------------------------------------------------===//

/// Rows of a tile whose sums, with two registers of lanes each, fit.
static constexpr int64_t kCopiedRows = 6;
/// Vectors of a block of columns, or half as many, or a quarter.
static constexpr int64_t kCopiedVectors = 4;
/// About so many steps go before sums wait: those of 64 columns are 16 KiB.
static constexpr int64_t kCopiedSteps[] = {32, 64};
/// Rows whose sums wait: those of 64 columns are 24 or 48 KiB.
static constexpr int64_t kCopiedGroups[] = {96, 192};

/// All steps, or pieces that are about equal and about as long; a short piece
/// is not cut.
static std::vector<int64_t> copiedSteps(const ProductTask &task) {
  std::vector<int64_t> blocks = {task.steps};
  int64_t unit = task.isStraight ? 8 : task.piece;
  for (int64_t wanted : kCopiedSteps) {
    int64_t pieces = (task.steps + wanted / 2) / wanted;
    if (pieces < 2)
      continue;
    int64_t steps = ceilDiv(ceilDiv(task.steps, pieces), unit) * unit;
    if (steps < task.steps && steps != blocks.back())
      blocks.push_back(steps);
  }
  return blocks;
}

/// All rows, or groups that are about equal, of whole tiles.
static std::vector<int64_t> copiedGroups(const ProductTask &task,
                                         int64_t rows) {
  std::vector<int64_t> blocks = {task.rows};
  for (int64_t wanted : kCopiedGroups) {
    int64_t groups = ceilDiv(task.rows, wanted);
    int64_t block = ceilDiv(ceilDiv(task.rows, groups), rows) * rows;
    if (block < task.rows && block != blocks.back())
      blocks.push_back(block);
  }
  return blocks;
}

static void addCopied(const ProductTask &task, int64_t rows, int64_t vectors,
                      std::vector<ProductSchedule> &all) {
  for (int64_t stepBlock : copiedSteps(task)) {
    bool wait = stepBlock < task.steps;
    for (int64_t rowBlock : copiedGroups(task, rows))
      if (!wait || waitingBytes(rowBlock, vectors) <= kWaitingBytes)
        for (bool prefetches : {false, true})
          if (!prefetches || wait)
            all.push_back(
                {rows, vectors, rowBlock, stepBlock, true, prefetches});
  }
}

std::vector<ProductSchedule>
tally::cpu::dotCandidates(const ProductTask &task) {
  std::vector<ProductSchedule> all;
  int64_t most = std::min(maxVectors(task.tier), vectorsOf(task.columns));
  for (int64_t vectors = most; vectors >= 1; --vectors)
    for (int64_t rows = std::min(maxRows(task.tier, vectors), task.rows);
         rows >= 1; --rows)
      addVariants(task, rows, vectors, all);
  most = std::min(kCopiedVectors, vectorsOf(task.columns));
  if (hasHalves(task.tier))
    for (int64_t vectors = most; vectors >= 1; vectors /= 2)
      for (int64_t rows = std::min(kCopiedRows, task.rows); rows >= 3; --rows)
        addCopied(task, rows, vectors, all);
  llvm::append_range(all, squareCandidates(task));
  return all;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Of the first cache, what is there for the columns' halves in a copy.
static constexpr int64_t kNearBytes = 24 << 10;

namespace {
/// Of the tiles of a schedule, in half cycles.
struct TileCosts {
  const ProductTask &task;
  const ProductSchedule &schedule;

  int64_t registersOf(int64_t lanes) const {
    return ceilDiv(lanes, registerLanesOf(task.tier));
  }
  int64_t ofBytes(int64_t rows, int64_t registers) const;
  int64_t ofHalves(int64_t rows, int64_t registers) const;
  int64_t ofStep(int64_t rows, int64_t lanes) const;
  int64_t ofAll() const;
};
} // namespace

/// Products of bytes. Wide ones begin one by one, others by twos; five cycles
/// pass before the first one's sum is there.
int64_t TileCosts::ofBytes(int64_t rows, int64_t registers) const {
  if (registerLanesOf(task.tier) < 16)
    return std::max<int64_t>({rows * registers, 10, rows + registers});
  int64_t loads = 2 * registers + (rows + 1) / 2;
  return 2 * std::max<int64_t>({rows * registers, 5, loads});
}

/// Products of 16 bits: four operations begin in a cycle. A word of a row takes
/// three, to be read and taken apart. SSE2's products write over an operand,
/// which is loaded or moved for each.
int64_t TileCosts::ofHalves(int64_t rows, int64_t registers) const {
  int64_t operations = 4 * rows * registers + 3 * rows;
  if (task.tier == Tier::Baseline)
    operations += 2 * rows * registers;
  return ceilDiv(operations + registers, 2);
}

/// A step of a tile with its loop.
int64_t TileCosts::ofStep(int64_t rows, int64_t lanes) const {
  int64_t registers = registersOf(lanes);
  return 1 + (hasHalves(task.tier) ? ofHalves(rows, registers)
                                   : ofBytes(rows, registers));
}

/// Of all rows and columns for one step, in tiles and smaller ones at the
/// edges.
int64_t TileCosts::ofAll() const {
  int64_t rows = schedule.rows, width = schedule.vectors * kDotLanes;
  int64_t restRows = task.rows % rows, restLanes = task.columns % width;
  int64_t down = task.rows / rows, across = task.columns / width;
  int64_t cost = down * across * ofStep(rows, width);
  if (restRows)
    cost += across * ofStep(restRows, width);
  if (restLanes)
    cost += down * ofStep(rows, restLanes);
  if (restRows && restLanes)
    cost += ofStep(restRows, restLanes);
  return cost;
}

/// Of schedules that do not copy.
static int64_t plainCost(const ProductTask &task, const ProductSchedule &s) {
  TileCosts tiles = {task, s};
  int64_t columns = vectorsOf(task.columns);
  int64_t registers = tiles.registersOf(columns * kDotLanes);
  int64_t cost = task.steps * tiles.ofAll();
  // Halves of columns, in each tile.
  if (hasHalves(task.tier))
    cost += 2 * task.steps * registers * ceilDiv(task.rows, s.rows);
  int64_t rowBlocks = ceilDiv(task.rows, s.rowBlock);
  cost += task.steps * registers * (rowBlocks - 1);
  // Sums are loaded and stored, the first and the last time as well.
  if (s.stepBlock < task.steps)
    cost += 2 * task.rows * registers * ceilDiv(task.steps, s.stepBlock);
  if (s.prefetches)
    cost += 2 * task.steps * columns * rowBlocks;
  return cost;
}

/// Of schedules that copy. Four operations begin in a cycle; a tile's step has
/// four for each register of its sums, and six for two registers of lanes and
/// the loop of its two pairs.
static int64_t copiedCost(const ProductTask &task, const ProductSchedule &s) {
  TileCosts tiles = {task, s};
  int64_t registers = tiles.registersOf(task.columns);
  auto strips = [&](int64_t rows) {
    return rows ? ceilDiv(registers, 2) * (4 * rows + 3) : 0;
  };
  int64_t cost = task.steps * (task.rows / s.rows * strips(s.rows) +
                               strips(task.rows % s.rows));
  // Rows are taken apart for each block of columns, columns for each of rows.
  int64_t rowBlocks = ceilDiv(task.rows, s.rowBlock);
  cost += task.steps * task.rows * ceilDiv(vectorsOf(task.columns), s.vectors);
  cost += 5 * task.steps * registers * rowBlocks;
  // A copy that is not near comes from the second cache for each tile.
  if (s.stepBlock * s.vectors * kDotLanes * 2 * kDotTerms > kNearBytes)
    cost += task.steps * registers * ceilDiv(task.rows, s.rows);
  // Sums that wait are nearer where they are few.
  if (s.stepBlock < task.steps) {
    int64_t bytes = waitingBytes(s.rowBlock, s.vectors);
    int64_t each = bytes <= 32 << 10 ? 2 : 4;
    cost += each * task.rows * registers * ceilDiv(task.steps, s.stepBlock);
    // Columns that nobody asked for are waited for.
    cost += (s.prefetches ? 2 : 4) * task.steps * vectorsOf(task.columns) *
            rowBlocks;
  }
  return cost;
}

int64_t tally::cpu::dotCost(const ProductTask &task, const ProductSchedule &s) {
  return s.transforms ? squareCost(task, s)
         : s.copies   ? copiedCost(task, s)
                      : plainCost(task, s);
}
