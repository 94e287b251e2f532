//===- Reorder.h - from one order in memory to the other --------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_REORDER_H
#define TALLY_CPU_LOWER_REORDER_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// Emits the result of a reorder (Layouts.h): the operand's elements in the
/// result's order.
void emitReorder(KernelBuilder &k);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_REORDER_H
