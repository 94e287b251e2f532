//===- ParallelFor.h - how a program asks for threads -----------*- C++ -*-===//
//
// A program made for several threads starts none. Where a step's work can be
// split, it calls a function of its caller's, which has the parts done as it
// likes. The same as TallyParallelFor of tally-c/tally.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_PARALLELFOR_H
#define TALLY_RUNTIME_PARALLELFOR_H

#include <cstdint>

namespace tally::runtime {

/// Does part `part` of `parts` of a step. Reads and writes what belongs to the
/// run; blocks nothing and allocates nothing. More parts than the program was
/// made for do nothing: the others then do all the work.
using ParallelTask = void (*)(void *data, int32_t part, int32_t parts);

/// Chooses a number of parts, 1 <= parts <= mostParts, calls
/// task(data, part, parts) once for each part = 0 ... parts - 1, on any
/// threads, in any order, at the same time or not, and returns when all calls
/// have returned. What a call wrote must then be visible to the caller.
using ParallelFor = void (*)(void *user, int32_t mostParts, ParallelTask task,
                             void *data);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_PARALLELFOR_H
