//===- HalfTile.h - a tile of sums of products of 16 bits -------*- C++ -*-===//
//
// Rows x up to two registers of lanes of sums, to which pairs of terms in 16
// bits are added (HalfWords.h), both sides being apart in memory already.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_HALFTILE_H
#define TALLY_CPU_KERNELS_HALFTILE_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// Registers of lanes whose sums a tile has.
inline constexpr int64_t kStripRegisters = 2;

/// Up to two registers of lanes, `within` behind lane `lane` of a block, which
/// is a multiple of 16.
struct Strip {
  Value lane;
  int64_t within, registers;

  /// Where its pairs begin in a block that has so many of each lane.
  Value place(KernelBuilder &k, int64_t pairs) const;
};

/// The strips of a block of lanes.
void forEachStrip(KernelBuilder &k, int64_t lanes,
                  llvm::function_ref<void(Strip)> body);

/// The pairs of a tile, each an i32 of a flat memref.
struct HalfTile {
  int64_t rows, registers, pairs;
  /// Register j of pair p is at laneBegin + (p * registers + j) times the lanes
  /// of a register.
  Value lanes, laneBegin;
  /// Pair p of row i is at rowBegin + i * rowPitch + p. No begin is 0.
  Value words, rowBegin;
  int64_t rowPitch;
};

/// Register j of a pair of the lanes that begin at `begin`.
Value pairPlace(KernelBuilder &k, Value begin, Value pair, int64_t registers,
                int64_t j);

/// The sums `starts`, row by row, plus the products of all pairs.
llvm::SmallVector<Value> addPairs(KernelBuilder &k, const HalfTile &tile,
                                  ValueRange starts);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_HALFTILE_H
