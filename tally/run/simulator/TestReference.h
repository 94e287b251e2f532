//===- TestReference.h - the meaning of commands, slowly --------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_TESTREFERENCE_H
#define TALLY_RUN_SIMULATOR_TESTREFERENCE_H

#include "tally/run/simulator/TestBench.h"

namespace tally::simulator {

/// Does to the bytes of `bench` what the command's row says, element by element
/// and with no code of the kernels. False where a number has no place (the
/// command is at fault then), or where the function is one that is compared
/// with the evaluator instead.
bool referenceOf(const isa::Command &command, Bench &bench);

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_TESTREFERENCE_H
