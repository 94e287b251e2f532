//===- NpuCompile.h - tally compile for an accelerator ----------*- C++ -*-===//

#ifndef TALLY_DRIVER_NPUCOMPILE_H
#define TALLY_DRIVER_NPUCOMPILE_H

#include "tally/driver/CommandLine.h"

namespace tally {

/// `tally compile` with --target MACHINE.yaml: a program file for the machine.
Result<int> compileForMachine(const Arguments &arguments);

} // namespace tally

#endif // TALLY_DRIVER_NPUCOMPILE_H
