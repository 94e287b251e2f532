//===- ProgramMachine.h - the machine of a program --------------*- C++ -*-===//

#ifndef TALLY_DRIVER_PROGRAMMACHINE_H
#define TALLY_DRIVER_PROGRAMMACHINE_H

#include "tally/driver/CommandLine.h"
#include "tally/emit/program/Program.h"
#include "tally/machine/Machine.h"

namespace tally {

/// The machine that --machine names, or else the one that the program was made
/// for. PROG-6 (Usage): that one does not come with tally, and --machine is
/// missing; otherwise the failures of findMachine.
Result<machine::Machine> machineFor(const Arguments &arguments,
                                    const isa::Program &program);

} // namespace tally

#endif // TALLY_DRIVER_PROGRAMMACHINE_H
