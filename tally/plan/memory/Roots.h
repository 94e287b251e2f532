//===- Roots.h - parts belong to roots --------------------------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_ROOTS_H
#define TALLY_PLAN_MEMORY_ROOTS_H

#include "tally/plan/memory/Problem.h"

#include <optional>

namespace tally::plan::memory {

/// Where a storage lies: `offset` bytes into a root, which is no part.
struct Place {
  StorageId root = 0;
  int64_t offset = 0;
};

/// Of each storage; nothing when parts go round in a circle or offsets leave
/// what 64 bits express.
std::optional<std::vector<Place>> findPlaces(const MemoryProblem &problem);

/// Addresses that a root may have: those that are `residue` modulo `alignment`.
struct Alignment {
  int64_t alignment = 1, residue = 0;
};

/// Addresses of `a` and `b` that are also of the other.
std::optional<Alignment> intersect(Alignment a, Alignment b);

/// Of a root so that `storage` inside of it is aligned.
Alignment alignmentAtRoot(const Storage &storage, const Place &place);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_ROOTS_H
