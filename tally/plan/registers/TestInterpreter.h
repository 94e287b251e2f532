//===- TestInterpreter.h - runs a register plan -----------------*- C++ -*-===//

#ifndef TALLY_PLAN_REGISTERS_TESTINTERPRETER_H
#define TALLY_PLAN_REGISTERS_TESTINTERPRETER_H

#include "tally/plan/registers/Problem.h"

namespace tally::plan::registers {

struct RunResult {
  bool wrong = false;    ///< some path reads a wrong value or writes one in use
  bool complete = false; ///< all paths were run
};

/// Runs `problem` on `solution`'s registers along up to `mostPaths` paths,
/// until one goes wrong. Each write makes a number that was never there; a read
/// must find the number that the value's newest write made. Both ways of an
/// `if` are paths, and 0 to 3 trips of a loop whose trips are unknown.
RunResult runAllPaths(const RegisterProblem &problem,
                      const RegisterSolution &solution, size_t mostPaths);

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_TESTINTERPRETER_H
