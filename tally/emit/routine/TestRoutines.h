//===- TestRoutines.h - random routines for tests ---------------*- C++ -*-===//

#ifndef TALLY_EMIT_ROUTINE_TESTROUTINES_H
#define TALLY_EMIT_ROUTINE_TESTROUTINES_H

#include "tally/emit/routine/Routine.h"

namespace tally::emit {

/// Records about `statements` uses of helpers in nested scopes, loops and
/// branches. Late operands are waited for before a loop goes on.
void recordRandom(Routine &routine, unsigned seed, size_t statements);

} // namespace tally::emit

#endif // TALLY_EMIT_ROUTINE_TESTROUTINES_H
