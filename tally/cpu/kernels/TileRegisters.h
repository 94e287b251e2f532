//===- TileRegisters.h - instructions on tile registers ---------*- C++ -*-===//
//
// AMX has eight registers of up to sixteen rows of 64 bytes. LLVM allocates
// them and configures their shapes once for a function, so a function may use
// at most eight at a time, and none of them can be copied: each value has one
// use that changes it. Tiles are LLVM's own type; the upstream dialect for them
// lacks loads that leave the first-level cache alone.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_TILEREGISTERS_H
#define TALLY_CPU_KERNELS_TILEREGISTERS_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// Whether a tier has tile registers.
bool hasTiles(Tier tier);

inline constexpr int64_t kTileRows = 16;
inline constexpr int64_t kTileBytes = 64; ///< of a row

struct TileShape {
  int64_t rows, bytes;
};

/// Where a tile's rows are: the address of the first as an i64, and the
/// distance from one to the next in bytes, an i64.
struct TilePlace {
  Value address, pitch;
};

/// The address of a memref's first element, and one some bytes behind another.
Value addressOf(KernelBuilder &k, Value memref);
Value addressAt(KernelBuilder &k, Value address, Value bytes);

Value zeroTile(KernelBuilder &k, TileShape shape);
/// `once` says that the bytes are not soon read again: they do not drive others
/// out of the first-level cache.
Value loadTile(KernelBuilder &k, TileShape shape, TilePlace place, bool once);
void storeTile(KernelBuilder &k, TileShape shape, TilePlace place, Value tile);

/// sums + left * right, of `terms` bytes in a row of the left tile. The left
/// bytes are rows of terms; the right tile has a row for each four terms, in it
/// those of sixteen columns.
struct TileProductSigns {
  bool left, right; ///< whether the bytes are signed
};
Value multiplyTiles(KernelBuilder &k, int64_t rows, int64_t terms, Value sums,
                    Value left, Value right, TileProductSigns areSigned);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_TILEREGISTERS_H
