//===- Solver.h - a register for every value --------------------*- C++ -*-===//

#ifndef TALLY_PLAN_REGISTERS_SOLVER_H
#define TALLY_PLAN_REGISTERS_SOLVER_H

#include "tally/plan/registers/Liveness.h"

#include <optional>

namespace tally::plan::registers {

/// Who keeps a register from being given: a value, or an operation that
/// clobbers it.
struct Holder {
  int64_t reg = kNone;    ///< which one, if that is known
  std::string value;      ///< empty for a clobber
  std::string role;       ///< of the value
  std::string since;      ///< the statement that writes or clobbers it
  std::string until;      ///< a place in the program; empty for a clobber
  std::string inFlightOn; ///< the queue, if nothing else needs the value
};

/// REG-8 to REG-10 with their parts; for other failures only the diagnostic.
struct Refusal {
  Diagnostic diagnostic;
  std::string at;     ///< the statement with too few registers
  std::string value;  ///< REG-9, REG-10: that finds none
  int64_t needed = 0; ///< REG-8: at once
  int64_t usable = 0; ///< registers that are not reserved
  std::vector<Holder> holders;
};

/// Registers that keep all laws of findViolation, with the lowest numbers that
/// a linear scan finds; values go to the save area only if there is one and
/// registers do not suffice, and change their register only if no choice is
/// found without. A program without branches, clobbers, fixed and
/// rewritten values takes as many registers as live at one point, no more.
///
/// With a seed, each value prefers registers at random instead of the lowest
/// ones: what the user of a plan takes for granted about numbers shows.
///
/// Checks the problem first. On failure fills `refusal` if there is one.
/// Equal problems and seeds give equal plans.
Result<RegisterSolution> planRegisters(const RegisterProblem &problem,
                                       Refusal *refusal = nullptr,
                                       std::optional<uint32_t> seed = {});

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_SOLVER_H
