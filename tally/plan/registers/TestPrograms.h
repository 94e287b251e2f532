//===- TestPrograms.h - register problems for tests -------------*- C++ -*-===//

#ifndef TALLY_PLAN_REGISTERS_TESTPROGRAMS_H
#define TALLY_PLAN_REGISTERS_TESTPROGRAMS_H

#include "tally/plan/registers/Problem.h"

namespace tally::plan::registers {

/// The problem of `text`; a test fails if there is none.
RegisterProblem readProblem(const char *text);

/// Its plan; a test fails if there is none or the judge refuses it.
RegisterSolution planAndJudge(const RegisterProblem &problem);

struct ProgramShape {
  size_t values = 6;
  size_t statements = 12; ///< about
  bool knownTrips = true; ///< else loops run once or an unknown number of times
};

/// A structured program that keeps REG-2 to REG-7, of operations, calls, waits
/// and loops and ifs within each other, with more registers than values.
RegisterProblem randomProgram(unsigned seed, ProgramShape shape);

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_TESTPROGRAMS_H
