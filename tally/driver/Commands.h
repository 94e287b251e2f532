//===- Commands.h - what `tally` can be asked to do -------------*- C++ -*-===//

#ifndef TALLY_DRIVER_COMMANDS_H
#define TALLY_DRIVER_COMMANDS_H

#include "tally/driver/CommandLine.h"

namespace tally {

/// Exit status of a comparison that found a difference.
inline constexpr int kExitDifferent = 1;

extern const CommandSpec kCompileCommand, kRunCommand, kInspectCommand,
    kExplainCommand, kDiffCommand, kOpsCommand, kVersionCommand;

} // namespace tally

#endif // TALLY_DRIVER_COMMANDS_H
