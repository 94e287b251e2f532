//===- TileSchedules.cpp - schedules of products in tiles, with costs -----===//
//
// A block of tiles follows from the sizes: registers of more than one shape are
// just eight, so there is nothing to choose. What can be is where the terms of
// a row are cut into parts, between which sums wait in memory: parts of up to
// kPanelTerms terms leave a block's rows in the first-level cache; shorter ones
// leave it room, longer ones save the waiting.
//
// Example, 4608 terms in pieces of 64: 72 pieces, in parts of 18 pieces (1152
// terms) by default, else of 9, 36 or 72.
//
// Cost: at most four candidates.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/TileSchedules.h"
#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/TileRegisters.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tally;
using namespace tally::cpu;

/// Terms of a block's rows that stay in the first-level cache.
static constexpr int64_t kPanelTerms = 1152;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

TileBlock tally::cpu::tileBlockOf(int64_t rows, int64_t columns) {
  TileBlock block;
  int64_t tiles = ceilDiv(rows, kTileRows);
  block.down = std::min<int64_t>(tiles, 2);
  tiles = ceilDiv(tiles, block.down) * block.down;
  block.height = ceilDiv(rows, tiles);
  block.across = std::min<int64_t>(vectorsOf(columns), block.down == 2 ? 2 : 3);
  return block;
}

/// Steps of equal parts of at most `terms` terms, in whole pieces.
static int64_t partSteps(const ProductTask &task, int64_t terms) {
  int64_t pieces = ceilDiv(task.steps, task.piece);
  int64_t parts = ceilDiv(task.steps * kDotTerms, terms);
  return ceilDiv(pieces, std::min(parts, pieces)) * task.piece;
}

std::vector<ProductSchedule>
tally::cpu::tileCandidates(const ProductTask &task) {
  std::vector<ProductSchedule> all;
  TileBlock block = tileBlockOf(task.rows, task.columns);
  for (int64_t terms : {kPanelTerms, kPanelTerms / 2, 2 * kPanelTerms,
                        task.steps * kDotTerms}) {
    ProductSchedule schedule = {
        block.down * block.height, block.across, task.rows,
        partSteps(task, terms),
        /*copies=*/false,
        /*prefetches=*/false};
    if (!llvm::is_contained(all, schedule))
      all.push_back(schedule);
  }
  return all;
}

/// A step of a tile takes sixteen cycles for its four by sixteen products, and
/// rows that fell out of the first-level cache a quarter more. Sums that wait
/// are loaded and stored, a row of sixteen in a cycle each.
int64_t tally::cpu::tileCost(const ProductTask &task,
                             const ProductSchedule &schedule) {
  constexpr int64_t kWordsOfTile = 16;
  int64_t rows = ceilDiv(task.rows, schedule.rows) * schedule.rows;
  int64_t columns = vectorsOf(task.columns);
  int64_t products = 2 * rows * columns * ceilDiv(task.steps, kWordsOfTile);
  if (schedule.stepBlock > partSteps(task, kPanelTerms))
    products += products / 4;
  int64_t parts = ceilDiv(task.steps, schedule.stepBlock);
  return products + 4 * rows * columns * (parts - 1);
}
