//===- Registers.h - real registers for a recorded routine ------*- C++ -*-===//
//
// Private to this folder. A routine as a problem of plan/registers: one value a
// borrow, registers 0 to n - 1 standing for the machine's scratch registers in
// their order.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ROUTINE_REGISTERS_H
#define TALLY_EMIT_ROUTINE_REGISTERS_H

#include "tally/emit/routine/Recording.h"
#include "tally/plan/registers/Solver.h"

namespace tally::emit {

struct RegisterAssignment {
  plan::registers::RegisterProblem problem;
  plan::registers::RegisterSolution solution;
  /// The statements of each node, at least one: a fence of all queues waits for
  /// each.
  std::vector<std::vector<plan::registers::StatementId>> statementsOf;
};

/// Problem and plan; REG-6 to REG-10 name roles and source lines.
Result<RegisterAssignment> assignRegisters(const Recording &recording);

} // namespace tally::emit

#endif // TALLY_EMIT_ROUTINE_REGISTERS_H
