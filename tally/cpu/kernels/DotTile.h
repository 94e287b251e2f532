//===- DotTile.h - one tile of a product of bytes ---------------*- C++ -*-===//
//
// Rows x lanes of sums in registers while words of the common dimension pass by
// (DotProduct.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_DOTTILE_H
#define TALLY_CPU_KERNELS_DOTTILE_H

#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/DotSchedules.h"

namespace tally::cpu {

/// Words [first, first + count) of each sum; no first is 0.
struct QuadRange {
  Value first;
  int64_t count;

  Value at(KernelBuilder &k, Value i) const {
    return first ? k.addIndex(first, i) : i;
  }
};

/// Emits the sums of one tile.
struct DotTile {
  KernelBuilder &k;
  int64_t rows, lanes; ///< of the tile
  QuadRange quads;
  const DotOperands &operands;

  int64_t registerLanes() const { return registerLanesOf(k.tier); }
  int64_t registers() const {
    return (lanes + registerLanes() - 1) / registerLanes();
  }

  /// Row i's word in every lane, of the tile that begins at `from`.
  Value loadWord(Value from, int64_t i, Value quad) const;
  /// The words of register j of the tile at `lane`.
  Value loadLanes(Value quad, Value lane, int64_t j) const;
  /// The sums after one step.
  llvm::SmallVector<Value> step(Value quad, Value from, Value lane,
                                ValueRange sums) const;
  /// The same for half of the terms of each word.
  llvm::SmallVector<Value> halfStep(Value quad, Value from, Value lane,
                                    int64_t half, ValueRange sums) const;
  /// The range's steps from the sums `starts`, row by row.
  ValueRange loop(Value row, Value lane, ValueRange starts) const;
  llvm::SmallVector<Value>
  starts(Value row, Value lane,
         llvm::function_ref<Value(Value, Value)> start) const;
  /// Row i of the tile goes to sums[first + i], or comes from there. No first
  /// is 0.
  void store(ValueRange results, Value sums, Value first) const;
  llvm::SmallVector<Value> load(Value sums, Value first) const;

private:
  Value heldRow(Value first, int64_t i) const;
};

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_DOTTILE_H
