//===- NpuRecords.h - plans of an accelerator as records --------*- C++ -*-===//

#ifndef TALLY_DRIVER_NPURECORDS_H
#define TALLY_DRIVER_NPURECORDS_H

#include "tally/driver/NpuPlan.h"
#include "tally/report/MemoryAccount.h"
#include "tally/report/ScheduleAccount.h"
#include "tally/report/SyncAccount.h"

namespace tally {

/// "arena", "SRAM" or "accumulators", each that was planned.
std::vector<report::MemoryAccount> memoriesOf(const schedule::MemoryPlans &);

report::GlobalAccount globalOf(const schedule::MemoryPlans &plans,
                               const machine::Machine &machine, int64_t budget);

std::vector<report::TryAccount> triesOf(const std::vector<schedule::Try> &);

/// `refusal` has a shortage.
report::Shortage shortageOf(const schedule::Refusal &refusal,
                            const machine::Machine &machine, int64_t budget);

report::SyncAccount syncOf(const schedule::SyncPlan &plan);

/// `function` is what was scheduled.
report::ScheduleAccount scheduleOf(mlir::func::FuncOp function,
                                   const NpuPlan &plan,
                                   const machine::Machine &machine);

} // namespace tally

#endif // TALLY_DRIVER_NPURECORDS_H
