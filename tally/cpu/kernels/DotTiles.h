//===- DotTiles.h - the shape of tiles of dot products ----------*- C++ -*-===//

#ifndef TALLY_CPU_KERNELS_DOTTILES_H
#define TALLY_CPU_KERNELS_DOTTILES_H

#include "tally/cpu/kernels/DotProduct.h"

namespace tally::cpu {

/// 32-bit sums in a register.
int64_t registerLanesOf(Tier tier);

/// Whether products are of 16 bits, of terms 0 and 2, then 1 and 3 of a word.
bool hasHalves(Tier tier);

/// Rows and vectors of kDotLanes whose sums are in registers.
struct DotTile {
  int64_t rows, vectors;
};

/// The tile that is estimated to waste least time on a shape.
DotTile chooseDotTile(Tier tier, const DotShape &shape);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_DOTTILES_H
