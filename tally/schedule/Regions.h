//===- Regions.h - where the caller's buffers are ---------------*- C++ -*-===//
//
// Each argument and each result of `main` is a region of global memory, in that
// order, from isa::kFirstCallerRegion on. The new value of a state that is
// written over its old one, or slides along its memory (nn::StatePolicy), has
// the region of the old one and none of its own. Counters (nn::countersOf) have
// none: they are words of the context.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_REGIONS_H
#define TALLY_SCHEDULE_REGIONS_H

#include "tally/ops/State.h"

namespace tally::schedule {

struct Regions {
  /// Their numbers; -1: a counter, which has no region.
  llvm::SmallVector<int64_t> arguments, results;
  int64_t end = 0; ///< one behind the last
};
Regions regionsOf(mlir::func::FuncOp function);

/// The place of the state that argument or result `i` is a value of, or
/// nothing.
std::optional<nn::StatePlace> placeOfArgument(mlir::func::FuncOp function,
                                              unsigned i);
std::optional<nn::StatePlace> placeOfResult(mlir::func::FuncOp function,
                                            unsigned i);

/// The argument that has the old value of the state whose new value result `i`
/// is, where the two share memory.
std::optional<unsigned> sharedArgument(mlir::func::FuncOp function, unsigned i);

/// Whether `argument` is a counter.
bool isCounter(mlir::func::FuncOp function, mlir::BlockArgument argument);

/// Whether `argument` is the old value of a ring.
bool isOfRing(mlir::func::FuncOp function, mlir::BlockArgument argument);

/// Frames of a ring that enter in a call.
int64_t enteringFrames(const nn::StatePlace &place);
/// Bytes of a ring that one call sees, whose value has `bytes`: the frames of
/// the old value, and behind them those that enter; or before them, and then
/// without a gap behind the last.
int64_t ringBytes(const nn::StatePlace &place, int64_t bytes);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_REGIONS_H
