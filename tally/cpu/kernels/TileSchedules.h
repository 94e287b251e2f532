//===- TileSchedules.h - schedules of products in tiles ---------*- C++ -*-===//

#ifndef TALLY_CPU_KERNELS_TILESCHEDULES_H
#define TALLY_CPU_KERNELS_TILESCHEDULES_H

#include "tally/cpu/CpuCompiler.h"

namespace tally::cpu {

/// A block of tiles whose sums are in registers: `down` tiles of `height` rows
/// by `across` tiles of columns.
struct TileBlock {
  int64_t down, height, across;
};

/// That of a product of so many rows and columns; it follows from these.
TileBlock tileBlockOf(int64_t rows, int64_t columns);

/// candidatesOf and costOf (ProductSchedule.h) of products in tiles. What is
/// chosen is how many steps a part has.
std::vector<ProductSchedule> tileCandidates(const ProductTask &task);
int64_t tileCost(const ProductTask &task, const ProductSchedule &schedule);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_TILESCHEDULES_H
