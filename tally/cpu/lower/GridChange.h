//===- GridChange.h - codes moved to another grid ---------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_GRIDCHANGE_H
#define TALLY_CPU_LOWER_GRIDCHANGE_H

#include "tally/cpu/lower/CodeLookup.h"

#include <optional>

namespace tally::cpu {

/// Elements of a tensor as another one wants them: unchanged where both are
/// plain or have one grid, else by the table from code to code, exact or as the
/// profile says.
class GridChange {
public:
  /// Adds the table to the kernel where one is needed. Grids are per tensor.
  static Result<GridChange>
  make(KernelBuilder &kernel, const eval::Tensor &from, const eval::Tensor &to);

  bool isIdentity() const { return !lookup; }
  /// Of an element or, where lanes are taken, of a vector of up to 64.
  Value apply(KernelBuilder &kernel, Value element) const;
  bool takesLanes() const { return !lookup || lookup->takesLanes(); }
  /// output[to + i] = apply(input[from + i]) for i < count, in flat memrefs.
  void emitCopy(KernelBuilder &kernel, Value input, Value from, Value output,
                Value to, int64_t count) const;

private:
  std::optional<CodeLookup> lookup; ///< none: unchanged
};

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_GRIDCHANGE_H
