//===- Plans.h - addresses and synchronization of a program -----*- C++ -*-===//
//
// The joins with the planners, in one direction: order, then memory, then
// synchronization. Each answer is attributes of the npu.program.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_PLANS_H
#define TALLY_SCHEDULE_PLANS_H

#include "tally/machine/Machine.h"
#include "tally/schedule/Choices.h"
#include "tally/schedule/Npu.h"
#include "tally/support/Result.h"

namespace tally::schedule {

/// Fixes the order of issue and fills `after`. Loads of constants go
/// choices.prefetch steps ahead of their readers, and wait for the step before
/// that: the weights of prefetch + 1 steps at most are in SRAM. Whatever else
/// has to wait follows from what commands read and write in one storage.
void orderCommands(npu::ProgramOp program, const machine::Machine &machine,
                   const Choices &choices);

/// Gives every storage its offset: SRAM and accumulators by the memory planner,
/// which lets a storage follow another where the order proves that the first is
/// no longer used, constants one after the other, the caller's buffers at 0.
/// Fails by the planner's rules (MEM-n).
Status planMemory(npu::ProgramOp program, const machine::Machine &machine);

/// Fills waits, clears, signals and drains. Fails by the planner's rules
/// (SYNC-n).
Status planSync(npu::ProgramOp program, const machine::Machine &machine);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_PLANS_H
