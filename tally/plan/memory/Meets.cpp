//===- Meets.cpp - lists of who meets whom --------------------------------===//
//
// Of two items that share a section, one is there when the other begins. So an
// item meets those in the first section of each of its lives, and those that
// begin in a later section of it: the work is that of writing the lists down.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Meets.h"

#include <algorithm>
#include <numeric>

using namespace tally;
using namespace tally::plan::memory;

static std::vector<std::vector<ItemId>> membersOf(const Instance &instance) {
  std::vector<std::vector<ItemId>> members(instance.sections);
  for (ItemId item = 0; item < instance.items.size(); ++item)
    for (const Sections &life : instance.lives[item])
      for (uint32_t section = life.begin; section < life.end; ++section)
        members[section].push_back(item);
  return members;
}

static std::vector<std::vector<ItemId>> beginnersOf(const Instance &instance) {
  std::vector<std::vector<ItemId>> beginners(instance.sections);
  for (ItemId item = 0; item < instance.items.size(); ++item)
    for (const Sections &life : instance.lives[item])
      beginners[life.begin].push_back(item);
  return beginners;
}

std::vector<std::vector<ItemId>>
plan::memory::findMeets(const Instance &instance) {
  size_t count = instance.items.size();
  auto beginners = beginnersOf(instance);
  std::vector<std::vector<ItemId>> meets(count);
  // The one that is there when the other begins writes both directions.
  for (ItemId item = 0; item < count; ++item)
    for (const Sections &life : instance.lives[item])
      for (uint32_t section = life.begin; section < life.end; ++section)
        for (ItemId other : beginners[section])
          if (other != item) {
            meets[item].push_back(other);
            meets[other].push_back(item);
          }
  for (ItemId item = 0; item < count; ++item)
    meets[item].insert(meets[item].end(), instance.extra[item].begin(),
                       instance.extra[item].end());
  // All pairs are there in both directions, so reading them the other way round
  // sorts them.
  std::vector<std::vector<ItemId>> sorted(count);
  for (ItemId item = 0; item < count; ++item) {
    for (ItemId other : meets[item])
      if (sorted[other].empty() || sorted[other].back() != item)
        sorted[other].push_back(item);
    meets[item] = {};
  }
  return sorted;
}

/// `seed` with the heaviest items that fit.
static std::vector<ItemId>
growClique(const Instance &instance,
           const std::vector<std::vector<ItemId>> &meets, ItemId seed) {
  std::vector<ItemId> clique = {seed}, candidates = meets[seed];
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](ItemId a, ItemId b) {
                     return instance.items[a].room > instance.items[b].room;
                   });
  for (ItemId item : candidates)
    if (std::all_of(clique.begin(), clique.end(), [&](ItemId member) {
          return std::binary_search(meets[item].begin(), meets[item].end(),
                                    member);
        }))
      clique.push_back(item);
  std::sort(clique.begin(), clique.end());
  return clique;
}

std::vector<std::vector<ItemId>>
plan::memory::findCliques(const Instance &instance,
                          const std::vector<std::vector<ItemId>> &meets) {
  std::vector<std::vector<ItemId>> cliques = membersOf(instance);
  if (!instance.hasExtra())
    return cliques;
  size_t sections = cliques.size();
  for (ItemId item = 0; item < instance.items.size(); ++item)
    cliques.push_back(growClique(instance, meets, item));
  std::sort(cliques.begin() + sections, cliques.end());
  cliques.erase(std::unique(cliques.begin() + sections, cliques.end()),
                cliques.end());
  return cliques;
}
