//===- Counted.h - what a counter chooses -----------------------*- C++ -*-===//
//
// Operators whose indices are a counter's (rewrite/state/Tabulate.h makes
// them): the processor knows the number when it issues their copies.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_LOWER_COUNTED_H
#define TALLY_SCHEDULE_LOWER_COUNTED_H

#include "tally/eval/Tensor.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/lower/Piecewise.h"

#include <optional>

namespace tally::schedule {

/// A constant table of one entry for each value of a counter; `moving` has no
/// step yet.
struct CountedTable {
  mlir::Value table;
  Moving moving;
};

/// The table whose entry `node` gives; nothing for other gathers.
std::optional<CountedTable> countedTable(nn::GatherOp node);
/// The same of what a gather gives, reshaped.
std::optional<CountedTable> countedTable(mlir::Value value);

/// The lookup as a node: one copy from the constants.
PiecewiseNode lookupNode(Scheduler &s, nn::GatherOp node,
                         const CountedTable &table);

/// The scatter, at places that a counter chooses, that `value` is, seen through
/// views; or null.
nn::ScatterNdOp countedScatter(mlir::Value value);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_COUNTED_H
