//===- Roots.cpp - parts belong to roots ----------------------------------===//
//
// A part's part lies at the sum of both offsets in the root. A part that needs
// an address of 0 modulo 64 and lies 180 bytes into its root wants a root at
// -180 = 12 modulo 64. Two such wishes agree when they agree modulo the smaller
// of two powers of two.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Roots.h"

#include "tally/support/CheckedMath.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::memory;

/// Walks from part to root. A walk longer than all storages is a circle.
static std::optional<Place> findPlace(const MemoryProblem &problem,
                                      StorageId id) {
  Place place{id, 0};
  for (size_t steps = 0; steps <= problem.storages.size(); ++steps) {
    const Storage &storage = problem.storages[place.root];
    if (!storage.isPart())
      return place;
    std::optional<int64_t> offset =
        checkedAdd(place.offset, storage.rootOffset);
    if (!offset)
      return std::nullopt;
    place = {static_cast<StorageId>(storage.root), *offset};
  }
  return std::nullopt;
}

std::optional<std::vector<Place>>
plan::memory::findPlaces(const MemoryProblem &problem) {
  std::vector<Place> places;
  places.reserve(problem.storages.size());
  for (StorageId id = 0; id < problem.storages.size(); ++id) {
    std::optional<Place> place = findPlace(problem, id);
    if (!place)
      return std::nullopt;
    places.push_back(*place);
  }
  return places;
}

std::optional<Alignment> plan::memory::intersect(Alignment a, Alignment b) {
  if (a.alignment < b.alignment)
    std::swap(a, b);
  if (a.residue % b.alignment != b.residue)
    return std::nullopt;
  return a;
}

Alignment plan::memory::alignmentAtRoot(const Storage &storage,
                                        const Place &place) {
  int64_t above = place.offset % storage.alignment;
  return {storage.alignment, above == 0 ? 0 : storage.alignment - above};
}
