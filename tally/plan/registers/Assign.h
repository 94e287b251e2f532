//===- Assign.h - registers for ranges of points ----------------*- C++ -*-===//

#ifndef TALLY_PLAN_REGISTERS_ASSIGN_H
#define TALLY_PLAN_REGISTERS_ASSIGN_H

#include "tally/plan/registers/Liveness.h"

#include <optional>

namespace tally::plan::registers {

/// The first value that found no register, if any, and the registers of the
/// others; of those before it, if there is one.
/// A value that needs no point gets kNone.
struct Assignment {
  std::vector<int64_t> registers; ///< of each value
  int64_t stuck = kNone;          ///< a ValueId
  bool exhaustive = false; ///< every choice was tried: without moves none works
};

/// Registers that are not reserved, ascending.
std::vector<uint32_t> usableRegisters(const RegisterFile &file);

/// A seed makes each value try the registers in an order of its own; without
/// one, in that of their numbers.
using Seed = std::optional<uint32_t>;

/// Values that are fixed or clobbered away stay away from each other: the
/// result has no two values with a common point in one register, none at a
/// clobber of its register, none in a reserved one.
Assignment assignRegisters(const RegisterProblem &problem,
                           const Liveness &liveness, Seed seed = {});

/// The same without undoing any choice; values that find no register do
/// without: kNone.
struct GreedyAssignment {
  std::vector<int64_t> registers; ///< of each value
  std::vector<ValueId> unplaced;  ///< values that need a point and have none
};
GreedyAssignment assignGreedily(const RegisterProblem &problem,
                                const Liveness &liveness, Seed seed = {});

/// First fit in the order of begins: the slot of each of `values`, or an empty
/// vector if `slots` are too few.
std::vector<int64_t> assignSlots(const Liveness &liveness,
                                 const std::vector<ValueId> &values,
                                 int64_t slots);

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_ASSIGN_H
