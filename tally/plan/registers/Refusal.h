//===- Refusal.h - why there is no register ---------------------*- C++ -*-===//

#ifndef TALLY_PLAN_REGISTERS_REFUSAL_H
#define TALLY_PLAN_REGISTERS_REFUSAL_H

#include "tally/plan/registers/Assign.h"
#include "tally/plan/registers/Solver.h"

#include <optional>

namespace tally::plan::registers {

/// What `point` needs registers for: values, then clobbers.
std::vector<Holder> holdersAt(const RegisterProblem &problem,
                              const Liveness &liveness, Point point);

std::string describe(const Holder &holder);

/// REG-8: more registers are needed at `point` than are usable.
Refusal refusePressure(const RegisterProblem &problem, const Liveness &liveness,
                       Point point);

/// REG-8: the values given up need more slots than there are.
Refusal refuseSlots(const RegisterProblem &problem, const Liveness &liveness,
                    const std::vector<ValueId> &spilled);

/// REG-9: two lives in one fixed register, or a clobber in one.
std::optional<Refusal> findFixedConflict(const RegisterProblem &problem,
                                         const Liveness &liveness);

/// REG-10: registers suffice at each point and yet `assignment` is stuck.
Refusal refuseStuck(const RegisterProblem &problem, const Liveness &liveness,
                    const Assignment &assignment);

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_REFUSAL_H
