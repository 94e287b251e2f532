//===- TestHelpers.h - the helpers as data for tests ------------*- C++ -*-===//

#ifndef TALLY_EMIT_ROUTINE_TESTHELPERS_H
#define TALLY_EMIT_ROUTINE_TESTHELPERS_H

#include "tally/emit/routine/Routine.h"
#include "tally/emit/routine/TestProcessor.h"

#include <set>

namespace tally::emit {

using Program = std::function<void(Scope &)>;

/// What became of a routine.
struct Emitted {
  Trace trace;
  std::set<int64_t> registers; ///< that are written
  size_t lines = 0;
  std::string failure; ///< empty: none
};

/// Records `program` in one scope and runs it.
Emitted emitOn(const machine::Machine &machine, const Program &program,
               RoutineOptions options = {});

/// What is recorded between a helper's own two halves, while it holds its
/// registers.
using Inside = std::function<void(Scope &)>;

/// A use of one helper of the library, with something else inside, that leaves
/// `result` at `address` of the context, and `entries` entries in queues beside
/// those of what is inside.
struct HelperUse {
  const char *name;
  uint32_t result;
  size_t entries;
  size_t repeats; ///< how often it runs what is inside
  void (*record)(Scope &scope, int32_t address, const Inside &inside);
};

const std::vector<HelperUse> &allHelperUses();

/// A copy of 4 rows of 16 bytes from `offset` of the arena to SRAM.
isa::Command testCopy(int64_t offset);

} // namespace tally::emit

#endif // TALLY_EMIT_ROUTINE_TESTHELPERS_H
