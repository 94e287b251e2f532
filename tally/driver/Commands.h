//===- Commands.h - what `tally` can be asked to do -------------*- C++ -*-===//
//
// Rules:
//   RUN-10  what is asked of a compiled model can still be done with it (Usage)
//   RUN-11  cpu and eval give outputs of the same types (Internal)
//   RUN-12  a run-time scalar that is set is one of the program's (Usage)
//   PLAN-1  a planner of that name exists, and a file is named (Usage)
//   OPS-1   an operator of that name exists (Usage)
//   MACHINE-1  tally machine names a machine (Usage)
//   CHECK-3  a program is named (Usage)
//   BENCH-6  what is measured is native code (Usage)
//   PROG-6   its machine comes with tally or is named (Usage), also of run
//   ASM-6   tally asm and tally disasm name a file (Usage)
// and those of bench/CoreSpeed.h, bench/OnnxRuntimeClock.h, CommandLine.h,
// Phases.h and tensors/InputFiles.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_COMMANDS_H
#define TALLY_DRIVER_COMMANDS_H

#include "tally/driver/CommandLine.h"

namespace tally {

/// Exit status of a comparison that found a difference, and of a check that
/// rejects a program.
inline constexpr int kExitDifferent = 1;

extern const CommandSpec kCompileCommand, kRunCommand, kInspectCommand,
    kExplainCommand, kDiffCommand, kBenchCommand, kOpsCommand, kPlanCommand,
    kMachineCommand, kAsmCommand, kDisasmCommand, kCheckCommand,
    kVersionCommand;

} // namespace tally

#endif // TALLY_DRIVER_COMMANDS_H
