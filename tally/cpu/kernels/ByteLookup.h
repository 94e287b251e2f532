//===- ByteLookup.h - many bytes through a table at once --------*- C++ -*-===//

#ifndef TALLY_CPU_KERNELS_BYTELOOKUP_H
#define TALLY_CPU_KERNELS_BYTELOOKUP_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// A table of 256 bytes, by the byte as an unsigned number, in registers.
class ByteLookup {
public:
  /// Bytes that one vector holds, or 0 where the tier can look up in memory
  /// only.
  static int64_t lanesOf(Tier tier);

  /// Loads the table, a memref of 256 i8; outside of the loops that use it.
  /// The tier has lanes.
  ByteLookup(KernelBuilder &kernel, Value table);

  /// The entries of a vector of `lanesOf(tier)` i8.
  Value apply(Value bytes) const;

private:
  Value spread(int64_t byte) const;
  Value pick(Value row, Value places) const;
  Value permute(Value bytes) const;
  Value addDifferences(Value bytes) const;

  KernelBuilder &k;
  const int64_t lanes;
  /// Sixteen entries, repeated, or their differences from the row before;
  /// or 64.
  llvm::SmallVector<Value> rows;
};

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_BYTELOOKUP_H
