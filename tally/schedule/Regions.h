//===- Regions.h - where the caller's buffers are ---------------*- C++ -*-===//
//
// Each argument and each result of `main` is a region of global memory, in that
// order, from isa::kFirstCallerRegion on. The new value of a state that is
// written over its old one, or slides along its memory (nn::StatePolicy), has
// the region of the old one and none of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_REGIONS_H
#define TALLY_SCHEDULE_REGIONS_H

#include "tally/ops/State.h"

namespace tally::schedule {

struct Regions {
  llvm::SmallVector<int64_t> arguments, results; ///< their numbers
  int64_t end = 0;                               ///< one behind the last
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

/// Whether `argument` is the old value of a ring.
bool isOfRing(mlir::func::FuncOp function, mlir::BlockArgument argument);

/// Bytes of a ring that one call sees: the frames of the old value, and behind
/// them those that enter.
int64_t ringBytes(const nn::StatePlace &place);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_REGIONS_H
