//===- NpuCompile.h - tally compile for an accelerator ----------*- C++ -*-===//

#ifndef TALLY_DRIVER_NPUCOMPILE_H
#define TALLY_DRIVER_NPUCOMPILE_H

#include "tally/driver/NpuArguments.h"

namespace tally {

/// `tally compile` with such a target: a program file for the machine, which
/// the independent checker has accepted.
Result<int> compileForMachine(const Arguments &arguments);

} // namespace tally

#endif // TALLY_DRIVER_NPUCOMPILE_H
