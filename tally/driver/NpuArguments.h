//===- NpuArguments.h - an accelerator that is asked for --------*- C++ -*-===//
//
// --target MACHINE with --budget, --choose, --sync-registers, --fallback and
// --max-state-copies.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_NPUARGUMENTS_H
#define TALLY_DRIVER_NPUARGUMENTS_H

#include "tally/driver/ModelArguments.h"
#include "tally/machine/Machine.h"
#include "tally/schedule/Search.h"

namespace tally {

/// Whether --target names an accelerator: one that comes with tally, or a file
/// that ends in ".yaml".
bool namesMachine(const std::string &target);

struct NpuArguments {
  machine::Machine machine;
  ModelArguments model;
  schedule::SearchOptions search;
  std::optional<int64_t> syncRegisters;
  bool fallsBack = false;                ///< --fallback=cpu
  std::optional<int64_t> maxStateCopies; ///< STATE-10
};

/// What `arguments` ask of an accelerator. CLI-3, also for options that only
/// libraries have; NPU-12 (Unsupported) for a profile that the machine's units
/// do not follow.
Result<NpuArguments> parseNpuArguments(const Arguments &arguments);

} // namespace tally

#endif // TALLY_DRIVER_NPUARGUMENTS_H
