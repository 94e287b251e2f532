//===- Split.h - values that change their register --------------*- C++ -*-===//

#ifndef TALLY_PLAN_REGISTERS_SPLIT_H
#define TALLY_PLAN_REGISTERS_SPLIT_H

#include "tally/plan/registers/Assign.h"

namespace tally::plan::registers {

/// A plan with moves for a problem that has enough registers at each point and
/// none for some value's whole life. Nothing if no parts are found with which
/// every value is placed.
std::optional<RegisterSolution> planWithParts(const RegisterProblem &problem,
                                              Seed seed);

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_SPLIT_H
