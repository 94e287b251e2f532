//===- Tuner.h - schedules by measurement -----------------------*- C++ -*-===//
//
// What --tune and --tune-cache do: products get the schedules that a cache has
// for them, and, when it is asked for, those without one are measured on this
// processor and kept in the cache.
//
// Schedules are measured where they will run: in the whole graph, on made-up
// data, each kernel between those that stand around it, with the clock read
// between kernels (cpu/ClockMarks.h). The programs of a round
// (ScheduleSearch.h) run in turn, a sample of each at a time; a kernel's time
// is the least of its samples, which other work on the machine moves least.
//
// Without either option nothing outside of the model and the options is looked
// at.
//
// Rules:
//   TUNE-1  this processor runs one of the tiers that code is made for, and
//           --cpu names no other processor (Usage)
//   TUNE-3  without --tune-cache, XDG_CACHE_HOME or HOME says where the cache
//           is (Usage)
// and those of ScheduleCache.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_TUNE_TUNER_H
#define TALLY_DRIVER_TUNE_TUNER_H

#include "tally/cpu/CpuCompiler.h"
#include "tally/driver/CommandLine.h"
#include "tally/driver/tune/ScheduleReport.h"

namespace tally::tune {

/// What --tune and --tune-cache ask for.
struct TuneArguments {
  bool measures = false;
  double seconds = 0; ///< no round begins later
  std::string cache;  ///< file; empty: no schedules but the cheapest
};

/// CLI-3, TUNE-1, TUNE-3.
Result<TuneArguments> parseTuneArguments(const Arguments &arguments,
                                         const cpu::CpuOptions &options);

/// The tier that is tuned: the strongest of the options that this machine runs,
/// as the artifact itself would choose.
std::optional<cpu::Tier> tunedTier(const cpu::CpuOptions &options);

/// Schedules for `module`, which is what cpu::compile takes; it stays.
/// Without measuring, all that the cache has. TUNE-2, and what compiling and
/// running fail by.
Result<cpu::ProductSchedules> chooseSchedules(mlir::ModuleOp module,
                                              const cpu::CpuOptions &options,
                                              const TuneArguments &asked);

/// What a compiled graph's products got.
std::vector<ScheduleRow> scheduleRows(const cpu::CompiledObject &compiled);

} // namespace tally::tune

#endif // TALLY_DRIVER_TUNE_TUNER_H
