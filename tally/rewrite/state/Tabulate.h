//===- Tabulate.h - what depends on a counter alone -------------*- C++ -*-===//
//
// For targets whose caller counts (PlaceOptions::counters). A counter takes few
// values, so that what is computed of it and of constants alone is looked up in
// a table with an entry for each: masks of the rows of a cache, positions, the
// places where a scatter writes. No arithmetic of 64 bits is left, and a target
// that can add a number to an address can do the lookup.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_STATE_TABULATE_H
#define TALLY_REWRITE_STATE_TABULATE_H

#include "mlir/IR/BuiltinOps.h"

namespace tally::rewrite {

/// Replaces what depends on a counter (nn::countersOf) and on constants alone,
/// and is read by others, by a slice of a constant table (nn.gather along the
/// first dimension) at the counter. Function `main` has placed states.
void tabulateCounters(mlir::ModuleOp module);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_STATE_TABULATE_H
