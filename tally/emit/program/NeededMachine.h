//===- NeededMachine.h - the machine that a program names -------*- C++ -*-===//

#ifndef TALLY_EMIT_PROGRAM_NEEDEDMACHINE_H
#define TALLY_EMIT_PROGRAM_NEEDEDMACHINE_H

#include "tally/emit/program/Program.h"

namespace tally::isa {

/// A machine with just what the program needs: enough to name its queues and
/// fields without the machine's file, not to run it. Queues that are not named
/// are vector engines called queueN.
machine::Machine neededMachine(const Requirements &needs);

} // namespace tally::isa

#endif // TALLY_EMIT_PROGRAM_NEEDEDMACHINE_H
