//===- GridChange.h - codes moved to another grid ---------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_GRIDCHANGE_H
#define TALLY_CPU_LOWER_GRIDCHANGE_H

#include "tally/cpu/KernelBuilder.h"
#include "tally/quant/CodeType.h"

namespace tally::cpu {

/// Elements of a tensor as another one wants them: unchanged where both are
/// plain or have one grid, else by the table from code to code, exact or as the
/// profile says.
class GridChange {
public:
  /// Adds the table to the kernel where one is needed. Grids are per tensor.
  static Result<GridChange>
  make(KernelBuilder &kernel, const eval::Tensor &from, const eval::Tensor &to);

  bool isIdentity() const { return !table; }
  Value apply(KernelBuilder &kernel, Value element) const;

private:
  Value table;          ///< null: unchanged
  quant::CodeType from; ///< what the table is indexed by
};

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_GRIDCHANGE_H
