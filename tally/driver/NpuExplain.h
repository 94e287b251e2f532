//===- NpuExplain.h - tally explain for an accelerator ----------*- C++ -*-===//

#ifndef TALLY_DRIVER_NPUEXPLAIN_H
#define TALLY_DRIVER_NPUEXPLAIN_H

#include "tally/driver/NpuArguments.h"
#include "tally/driver/NpuRecords.h"

namespace tally {

/// What --only takes beside the categories of rewrites.
inline constexpr const char *kMachineSections[] = {"schedule", "memory",
                                                   "sync"};

/// `tally explain` with an accelerator: decisions of the rewrites, then the
/// sections that `categories` name.
Result<int> explainForMachine(const Arguments &arguments,
                              const std::vector<std::string> &categories);

/// Tells what is full, where `refusal` knows: text or JSON on standard output.
/// The failure, with the model's file.
Diagnostic reportRefusal(const Arguments &arguments, const NpuArguments &asked,
                         Diagnostic failure, const schedule::Refusal &refusal);

} // namespace tally

#endif // TALLY_DRIVER_NPUEXPLAIN_H
