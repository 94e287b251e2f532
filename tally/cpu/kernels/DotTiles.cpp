//===- DotTiles.cpp - the shape of tiles of dot products ------------------===//
//
// Every shape of tile that fits the registers is tried on the whole product,
// with the smaller tiles that are left over at its edges, and the cheapest is
// taken. A tile's step (one quad) costs as long as its products or its loads
// take, whichever is more, plus something for the loop.
//
// Cost: at most 4 x 24 shapes, a few operations each.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/DotTiles.h"

#include <limits>

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

namespace {
/// How tiles of a tier are made. Units of cost are half cycles.
class TileCosts {
public:
  explicit TileCosts(Tier tier) : tier(tier) {}

  int64_t registerLanes() const { return registerLanesOf(tier); }
  int64_t maxVectors() const { return registerLanes() == 16 ? 4 : 2; }
  /// The most rows of a tile of `vectors`, at least one.
  int64_t maxRows(int64_t vectors) const;
  /// Of all `rows` x `lanes` for one quad, in tiles and smaller ones at the
  /// edges.
  int64_t of(DotTile tile, int64_t rows, int64_t lanes) const;

private:
  int64_t ofStep(int64_t rows, int64_t lanes) const;
  int64_t ofBytes(int64_t rows, int64_t registers) const;
  int64_t ofHalves(int64_t rows, int64_t registers) const;

  Tier tier;
};
} // namespace

/// Of 32 wide registers, 24 for sums; else what the lanes of one term and two
/// more leave of 16, of AArch64 32.
int64_t TileCosts::maxRows(int64_t vectors) const {
  if (registerLanes() == 16)
    return 24 / vectors;
  int64_t registers = vectors * kDotLanes / registerLanes();
  return ((tier == Tier::I8mm ? 32 : 16) - registers - 2) / registers;
}

/// Products of bytes. Wide ones begin one by one, others by twos; five cycles
/// pass before the first one's sum is there.
int64_t TileCosts::ofBytes(int64_t rows, int64_t registers) const {
  if (registerLanes() < 16)
    return std::max<int64_t>({rows * registers, 10, rows + registers});
  int64_t loads = 2 * registers + (rows + 1) / 2;
  return 2 * std::max<int64_t>({rows * registers, 5, loads});
}

/// Products of 16 bits: three operations begin in a cycle. A word of a row
/// takes two to be taken apart.
int64_t TileCosts::ofHalves(int64_t rows, int64_t registers) const {
  int64_t operations = 4 * rows * registers;
  operations += 2 * rows;
  int64_t loads = 2 * (rows + registers);
  return std::max((2 * operations + 2) / 3, loads);
}

/// A step of a tile with its loop.
int64_t TileCosts::ofStep(int64_t rows, int64_t lanes) const {
  int64_t registers = (lanes + registerLanes() - 1) / registerLanes();
  return 1 + (hasHalves(tier) ? ofHalves(rows, registers)
                              : ofBytes(rows, registers));
}

int64_t TileCosts::of(DotTile tile, int64_t rows, int64_t lanes) const {
  int64_t width = tile.vectors * kDotLanes;
  int64_t restRows = rows % tile.rows, restLanes = lanes % width;
  int64_t down = rows / tile.rows, across = lanes / width;
  int64_t cost = down * across * ofStep(tile.rows, width);
  if (restRows)
    cost += across * ofStep(restRows, width);
  if (restLanes)
    cost += down * ofStep(tile.rows, restLanes);
  if (restRows && restLanes)
    cost += ofStep(restRows, restLanes);
  return cost;
}

DotTile tally::cpu::chooseDotTile(Tier tier, const DotShape &shape) {
  TileCosts costs(tier);
  DotTile best = {1, 1};
  int64_t bestCost = std::numeric_limits<int64_t>::max();
  int64_t vectors = std::min(costs.maxVectors(), vectorsOf(shape.lanes));
  for (int64_t v = vectors; v >= 1; --v)
    for (int64_t r = std::min(costs.maxRows(v), shape.rows); r >= 1; --r)
      if (int64_t cost = costs.of({r, v}, shape.rows, shape.lanes);
          cost < bestCost) {
        best = {r, v};
        bestCost = cost;
      }
  return best;
}
