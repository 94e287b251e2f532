//===- SimulateProgram.h - tally run PROGRAM.elf ----------------*- C++ -*-===//

#ifndef TALLY_DRIVER_SIMULATEPROGRAM_H
#define TALLY_DRIVER_SIMULATEPROGRAM_H

#include "tally/driver/CommandLine.h"

namespace tally {

/// Whether `path` is there and begins like a program for an accelerator.
bool looksLikeProgram(const std::string &path);

/// Options that belong to programs alone; CLI-3 where one is given.
Status refuseProgramOptions(const Arguments &arguments);

/// Options that belong to models, given for the program `path`; RUN-10.
Status refuseModelOptionsForProgram(const Arguments &arguments,
                                    const std::string &path);

/// Runs the program that the command names in the simulator.
///   RUN-10  what is asked of a compiled model can still be done with it
///   RUN-12  a run-time scalar is set as NAME=VALUE, by a name that the program
///           has
/// and those of tensors/InputFiles.h and of the simulator.
Result<int> runProgram(const Arguments &arguments);

} // namespace tally

#endif // TALLY_DRIVER_SIMULATEPROGRAM_H
