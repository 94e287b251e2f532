//===- ValidatorForm.h - the form of a register plan ------------*- C++ -*-===//

#ifndef TALLY_PLAN_REGISTERS_VALIDATORFORM_H
#define TALLY_PLAN_REGISTERS_VALIDATORFORM_H

#include "tally/plan/registers/Problem.h"

namespace tally::plan::registers {

/// The part of findViolation that needs no run: registers, slots and statements
/// exist and fixed values are where they have to be.
std::string findFormFault(const RegisterProblem &problem,
                          const RegisterSolution &solution);

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_VALIDATORFORM_H
