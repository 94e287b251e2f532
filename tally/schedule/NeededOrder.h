//===- NeededOrder.h - what commands have to wait for -----------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_NEEDEDORDER_H
#define TALLY_SCHEDULE_NEEDEDORDER_H

#include "tally/machine/Machine.h"
#include "tally/schedule/Npu.h"

namespace tally::schedule {

/// `second` starts when `first` has completed; places among the commands.
struct OrderedPair {
  int64_t first = 0, second = 0;
};

/// The order without which commands of a placed program race for bytes; what
/// follows from other pairs may be left out. The schedule's releases of
/// buffers, which `after` holds for the memory plan to use, are not in it where
/// the plan made no use of them.
std::vector<OrderedPair> neededOrder(llvm::ArrayRef<npu::CommandOp> commands,
                                     const machine::Machine &machine);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_NEEDEDORDER_H
