//===- DotSchedules.cpp - schedules of products of bytes, with costs ------===//
//
// Candidates are all shapes of tiles that fit the registers, with a few blocks
// of rows and steps that fit the first and second cache, copied or not where
// products are of halves. The cost of one is that of its tiles, with the
// smaller ones that are left over at the edges: a tile's step (one word of each
// row) takes as long as its products or its loads, whichever is more, plus
// something for the loop. What else a schedule does is charged where it is
// done: halves taken apart, sums that wait in memory, columns that are read
// again, lines asked for.
//
// Of caches one thing is guessed: a copy of halves has to stay in the first
// one. Tiles of one row, whose products read it themselves, are then the
// cheapest, so products of halves with many steps are made in blocks of 64.
// Whether other blocks pay, or prefetches, is for a measurement to say.
//
// Example: 7 rows and 64 columns with AVX-512 VNNI. Tiles of 6x4 need a second
// one of 1x4, and those of 4x4 one of 3x4. Per word, in half cycles:
//
//     6x4 and 1x4    2 max(24, 5, 11) + 1  +  2 max(4, 5, 9) + 1   =  68
//     4x4 and 3x4    2 max(16, 5, 10) + 1  +  2 max(12, 5, 10) + 1  =  58
//
// Cost: at most 24 x 4 tiles with 64 variants, a few operations each.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/DotSchedules.h"
#include "tally/cpu/ProductSchedule.h"
#include "tally/cpu/kernels/DotProduct.h"

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
      for (bool copies : {false, true})
        for (bool prefetches : {false, true})
          if (!copies || hasHalves(task.tier))
            all.push_back(
                {rows, vectors, rowBlock, stepBlock, copies, prefetches});
}

std::vector<ProductSchedule>
tally::cpu::dotCandidates(const ProductTask &task) {
  std::vector<ProductSchedule> all;
  int64_t most = std::min(maxVectors(task.tier), vectorsOf(task.columns));
  for (int64_t vectors = most; vectors >= 1; --vectors)
    for (int64_t rows = std::min(maxRows(task.tier, vectors), task.rows);
         rows >= 1; --rows)
      addVariants(task, rows, vectors, all);
  return all;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Of the first cache, what is there for the columns' halves in a panel.
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
/// three, to be read and taken apart. What the products of several rows share
/// is loaded; those of one row read a panel themselves. SSE2's write over an
/// operand, which is loaded or moved for each. A panel that does not stay in
/// the first cache comes from the second, 32 bytes in a cycle.
int64_t TileCosts::ofHalves(int64_t rows, int64_t registers) const {
  int64_t operations = 4 * rows * registers + 3 * rows;
  bool overwrites = task.tier == Tier::Baseline;
  if (overwrites)
    operations += 2 * rows * registers;
  if (!schedule.copies)
    return ceilDiv(operations + registers, 2);
  if (rows > 1 && !overwrites)
    operations += 2 * registers;
  int64_t bytes = 2 * registers * registerLanesOf(task.tier) * kDotTerms;
  bool isNear = schedule.stepBlock * bytes <= kNearBytes;
  return std::max(ceilDiv(operations, 2), isNear ? 0 : bytes / 16);
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

/// Of taking the columns' words apart, for one step and each register of the
/// columns: three operations in each tile, or once in each block of rows, with
/// two stores.
static int64_t ofApart(const ProductTask &task, const ProductSchedule &s) {
  if (!hasHalves(task.tier))
    return 0;
  int64_t tiles = ceilDiv(task.rows, s.rows);
  return s.copies ? 5 * ceilDiv(task.rows, s.rowBlock) : 2 * tiles;
}

int64_t tally::cpu::dotCost(const ProductTask &task, const ProductSchedule &s) {
  TileCosts tiles = {task, s};
  int64_t columns = vectorsOf(task.columns);
  int64_t registers = tiles.registersOf(columns * kDotLanes);
  int64_t cost = task.steps * tiles.ofAll();
  cost += task.steps * registers * ofApart(task, s);
  int64_t rowBlocks = ceilDiv(task.rows, s.rowBlock);
  cost += task.steps * registers * (rowBlocks - 1);
  // Sums are loaded and stored, the first and the last time as well.
  if (s.stepBlock < task.steps)
    cost += 2 * task.rows * registers * ceilDiv(task.steps, s.stepBlock);
  if (s.prefetches)
    cost += 2 * task.steps * columns * rowBlocks;
  return cost;
}
