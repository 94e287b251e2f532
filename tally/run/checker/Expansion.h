//===- Expansion.h - the scalar code, executed ------------------*- C++ -*-===//
//
// Executes the processor's part of a program for given run-time scalars and
// keeps what goes to the queues. Tensor data is not known here and is not
// needed: a load of anything else than a run-time scalar breaks CHK-3.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_CHECKER_EXPANSION_H
#define TALLY_RUN_CHECKER_EXPANSION_H

#include "tally/run/checker/Finding.h"
#include "tally/run/checker/Races.h"
#include "tally/run/checker/Subject.h"

namespace tally::checker {

/// How far a program is followed.
struct Limits {
  uint64_t instructions = 200'000'000; ///< executed by the processor
  uint64_t events = 8'000'000;         ///< of queues and processor
  uint64_t combinations = 65'536;      ///< of values of run-time scalars
  uint64_t work = 4'000'000'000;       ///< events of all combinations together
};

/// Rules CHK-4 and CHK-7 of single instructions, executed or not.
std::optional<Finding> breaksInstructionRule(const Subject &subject);

struct Expansion {
  Stream stream; ///< up to the finding, if there is one
  std::optional<Finding> finding;
};

/// `values` are those of Subject::scalars, in their order;
/// breaksInstructionRule found nothing. Rules CHK-1 to CHK-5.
Expansion expand(const Subject &subject, const MemoryRoles &roles,
                 std::span<const int64_t> values, const Limits &limits = {});

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_EXPANSION_H
