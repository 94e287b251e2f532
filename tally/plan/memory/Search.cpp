//===- Search.cpp - an exact search that can be interrupted ---------------===//
//
// Any plan can be pushed down until no storage can be lowered alone. So it is
// enough to look at plans that grow from the bottom: always take the item whose
// lowest free address `low` is the smallest, and either
//
//   place  it there, which raises `low` of those that meet it; or
//   delay  it: then something that meets it must be placed in its way, so its
//          `low` rises to the first end of any such item, and one of them has
//          to come before addresses pass its end: its deadline.
//
// Three things cut branches off. A clique (a section, for instance) whose items
// to place do not fit between the lowest of their `low`s and the target: each
// clique watches two items that prove that they fit, and looks for others only
// when one is no proof any more; with a single proof left, that item is the
// lowest, and what cannot lie below it lies above it. An item that nothing can
// delay any more. Items that can change places are delayed together.
//
// When no item to place crosses from one section to the next, both sides are
// parts of their own: the tightest is solved first, and when one has no
// solution, those solved before are not tried in other ways. What is fullest is
// found anew for the items of each part: an order by it that was right for the
// whole leads astray in a part.
//
// Example: a 2 [0,2), b 1 [0,1), c 1 [1,3), target 3: both sections are full. a
// is placed at 0, b and c rise to 2 and are placed there. Had b gone first, to
// 0, a would rise to 1, and c, which can lie at 0, would be placed before it.
// Cost of a step: the items that meet the placed one, and the cliques of its
// part.
//
// The scheme of canonical solutions, of sections and their parts is that of
// M. D. Moffitt, "MiniMalloc", ASPLOS 2023; delays with deadlines in place of a
// list of alternatives are ours.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Search.h"

#include <algorithm>
#include <numeric>

using namespace tally;
using namespace tally::plan::memory;

static constexpr ItemId kNoItem = UINT32_MAX;
static constexpr uint64_t kBudgetShare = 4, kLeastBudget = 500;

Search::Search(const SearchTables &tables, Ranks ranks, int64_t target,
               uint64_t budget)
    : tables(tables), instance(tables.instance), ranks(std::move(ranks)),
      budget(budget), target(target) {
  int64_t step = instance.step;
  ceiling =
      target > kUnlimited - step ? target : (target + step - 1) / step * step;
}

/// Nothing is placed; one part holds all items.
void Search::start() {
  size_t count = instance.items.size();
  isStarted = true;
  address.assign(count, kNone);
  deadline.assign(count, kUnlimited);
  for (const Item &item : instance.items)
    room.push_back(item.room);
  low.resize(count);
  for (ItemId item = 0; item < count; ++item) {
    low[item] = instance.settle(item, 0);
    int64_t end = low[item] + instance.items[item].size;
    isExhausted |= end > target || end > instance.items[item].high;
  }
  for (uint32_t clique = 0; clique < tables.members.rows(); ++clique) {
    int64_t sum = 0;
    for (ItemId item : tables.members[clique])
      sum += room[item];
    total.push_back(sum);
    watches.insert(watches.end(), 2, kNoItem);
  }
  for (ItemId item = 0; item < count; ++item)
    fullest.push_back(fullestOf(item));
  crossing.assign(instance.sections + 1, 0);
  for (ItemId item = 0; item < count; ++item)
    countCrossing(item, 1);
  pool.resize(count);
  std::iota(pool.begin(), pool.end(), 0);
  parts.push_back({0, static_cast<uint32_t>(count), 0, instance.sections, -1,
                   -1, 0, budget, budget});
  current = 0;
  isExhausted |= instance.fixedTop > target || !checkCliques(parts[0]);
  if (tables.canSplit && !isExhausted)
    split();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Search::State Search::run(uint64_t nodes) {
  if (!isStarted)
    start();
  for (uint64_t end = stepsTaken + nodes; !isExhausted; ++stepsTaken) {
    while (current >= 0 && parts[current].begin == parts[current].end)
      current = parts[current].next;
    if (current < 0)
      return State::Found;
    if (stepsTaken >= end)
      return State::Suspended;
    if (stepsTaken % 32 == 0 && budget)
      beginAnew();
    if (!advance())
      isExhausted = !backtrack();
  }
  return State::Exhausted;
}

/// Room of the items to place in the fullest clique of `item`.
int64_t Search::fullestOf(ItemId item) const {
  int64_t fullest = 0;
  for (uint32_t clique : tables.cliquesOf[item])
    fullest = std::max(fullest, total[clique]);
  return fullest;
}

/// Whether of two items at the same address `a` is tried first.
bool Search::isFirst(ItemId a, ItemId b) const {
  const TrialOrder &order = ranks[parts[current].order];
  if (order.fullest == Fullest::AtEachStep)
    if (int64_t first = fullestOf(a), second = fullestOf(b); first != second)
      return first > second;
  if (order.fullest == Fullest::AtSplit && fullest[a] != fullest[b])
    return fullest[a] > fullest[b];
  return order.ranks[a] < order.ranks[b];
}

/// Where in the pool the item with the lowest address is; also the first
/// deadline.
uint32_t Search::findLowest(const Part &part, int64_t &first) const {
  uint32_t best = part.begin;
  first = kUnlimited;
  for (uint32_t at = part.begin; at < part.end; ++at) {
    ItemId item = pool[at], lowest = pool[best];
    first = std::min(first, deadline[item]);
    if (low[item] < low[lowest] ||
        (low[item] == low[lowest] && isFirst(item, lowest)))
      best = at;
  }
  return best;
}

void Search::beginAnew() {
  int32_t expired = -1;
  for (int32_t part = current; part >= 0; part = parts[part].parent)
    if (stepsTaken >= parts[part].expires)
      expired = part;
  if (expired < 0)
    return;
  while (!frames.empty() && isWithin(frames.back().part, expired)) {
    undo(frames.back());
    frames.pop_back();
  }
  Part &part = parts[expired];
  part.order = (part.order + 1) % ranks.size();
  if (part.parent < 0)
    part.budget += part.budget / 2;
  part.expires = stepsTaken + part.budget;
  current = expired;
}

bool Search::advance() {
  int64_t first;
  failed = current;
  uint32_t at = findLowest(parts[current], first);
  ItemId item = pool[at];
  if (low[item] >= first)
    return false;
  if (deadline[item] != kUnlimited) // nothing has come in its way so far
    return delay(item);
  return place(at);
}

bool Search::place(uint32_t at) {
  ItemId item = pool[at];
  int64_t bottom = low[item];
  for (uint32_t clique : tables.cliquesOf[item])
    if (total[clique] > freeAbove(clique, bottom))
      return delay(item);
  Part &part = parts[current];
  frames.push_back({item, current, static_cast<uint32_t>(parts.size()),
                    static_cast<uint32_t>(lows.size()),
                    static_cast<uint32_t>(watchTrail.size()),
                    static_cast<uint32_t>(deadlines.size()),
                    static_cast<uint32_t>(fullests.size())});
  std::swap(pool[at], pool[--part.end]);
  address[item] = bottom;
  lows.push_back({item, bottom});
  low[item] = kUnlimited;
  for (uint32_t clique : tables.cliquesOf[item])
    total[clique] -= room[item];
  bool hasCut = countCrossing(item, -1);
  if (!raiseNeighbours(item) || !checkCliques(part))
    return false;
  if (hasCut)
    split();
  return true;
}

bool Search::raiseNeighbours(ItemId item) {
  int64_t bottom = address[item], top = bottom + room[item];
  for (ItemId other : tables.meets[item]) {
    if (low[other] == kUnlimited)
      continue;
    if (deadline[other] != kUnlimited) {
      deadlines.push_back({other, deadline[other]});
      deadline[other] = kUnlimited;
    }
    if (low[other] < top && !raise(other, top))
      return false;
  }
  return true;
}

bool Search::raise(ItemId item, int64_t from) {
  int64_t lowest = instance.settle(item, from);
  int64_t end = lowest + instance.items[item].size;
  if (end > target || end > instance.items[item].high)
    return false;
  lows.push_back({item, low[item]});
  low[item] = lowest;
  return true;
}

//===----------------------------------------------------------------------===//
// Delays
//===----------------------------------------------------------------------===//

/// Delays `item` and its twins, which would fail as it did.
bool Search::delay(ItemId item) {
  int64_t bottom = low[item];
  int64_t first = kUnlimited;
  for (ItemId other : tables.meets[item]) {
    if (low[other] >= bottom + instance.items[item].size)
      continue;
    if (tables.kind[other] != tables.kind[item] || low[other] != bottom)
      first = std::min(first, low[other] + room[other]);
  }
  if (first == kUnlimited)
    return false;
  for (int64_t twin = item; twin != kNone; twin = tables.nextTwin[twin]) {
    auto one = static_cast<ItemId>(twin);
    if (low[one] != bottom)
      continue;
    int64_t end = bottom + instance.items[one].size;
    if (end < deadline[one]) {
      deadlines.push_back({one, deadline[one]});
      deadline[one] = end;
    }
    if (!raise(one, first))
      return false;
  }
  return checkCliques(parts[current]);
}

bool Search::isWithin(int32_t part, int32_t ancestor) const {
  while (part > ancestor)
    part = parts[part].parent;
  return part == ancestor;
}

/// Takes back the last placement from which another way leads on.
bool Search::backtrack() {
  while (!frames.empty()) {
    Frame frame = frames.back();
    frames.pop_back();
    bool concerns = isWithin(failed, frame.part);
    undo(frame);
    if (!concerns)
      continue;
    current = failed = frame.part;
    if (delay(frame.item))
      return true;
  }
  return false;
}

void Search::undo(const Frame &frame) {
  for (; lows.size() > frame.lows; lows.pop_back())
    low[lows.back().index] = lows.back().old;
  for (; watchTrail.size() > frame.watches; watchTrail.pop_back())
    watches[watchTrail.back().index] = watchTrail.back().old;
  for (; deadlines.size() > frame.deadlines; deadlines.pop_back())
    deadline[deadlines.back().index] = deadlines.back().old;
  for (; fullests.size() > frame.fullests; fullests.pop_back())
    fullest[fullests.back().index] = fullests.back().old;
  for (uint32_t clique : tables.cliquesOf[frame.item])
    total[clique] += room[frame.item];
  countCrossing(frame.item, 1);
  parts.resize(frame.parts);
  ++parts[frame.part].end;
}

//===----------------------------------------------------------------------===//
// Cliques
//===----------------------------------------------------------------------===//

/// Bytes between `from` and the ceiling that items of the clique may have.
int64_t Search::freeAbove(uint32_t clique, int64_t from) const {
  int64_t bytes = ceiling - from;
  if (!tables.hasTaken || clique >= instance.sections)
    return bytes;
  for (const Interval &range : instance.sectionTaken[clique])
    bytes -= std::max<int64_t>(0, std::min(range.end, ceiling) -
                                      std::max(range.begin, from));
  return bytes;
}

/// Whether the items of the clique fit above `item`, the lowest of them.
bool Search::proves(uint32_t clique, ItemId item) const {
  return item != kNoItem && low[item] != kUnlimited &&
         total[clique] <= freeAbove(clique, low[item]);
}

/// Lets watch `slot` of the clique show to an item that proves it, other than
/// that of the other watch.
bool Search::keepWatch(uint32_t clique, uint32_t slot) {
  ItemId &watched = watches[2 * clique + slot],
         other = watches[2 * clique + 1 - slot];
  if (proves(clique, watched))
    return true;
  for (ItemId item : tables.members[clique])
    if (item != other && proves(clique, item)) {
      watchTrail.push_back({2 * clique + slot, watched});
      watched = item;
      return true;
    }
  return false;
}

/// Only `item` can be the lowest of its clique: what cannot lie below it lies
/// above it.
bool Search::raiseAbove(ItemId item, int64_t latest, bool &hasRaised) {
  int64_t top = low[item] + room[item];
  for (ItemId other : tables.meets[item]) {
    if (low[other] >= top || low[other] + instance.items[other].size <= latest)
      continue;
    if (!raise(other, top))
      return false;
    hasRaised = true;
  }
  return true;
}

/// Whether some item of the clique is low enough for all to fit above it.
bool Search::checkClique(uint32_t clique, bool &hasRaised) {
  if (total[clique] == 0)
    return true;
  bool first = keepWatch(clique, 0), second = keepWatch(clique, 1);
  if (first && second)
    return true;
  if (!first && !second)
    return false;
  if (tables.hasTaken)
    return true;
  ItemId item = watches[2 * clique + !first];
  return raiseAbove(item, ceiling - total[clique], hasRaised);
}

bool Search::checkCliques(const Part &part) {
  for (bool hasRaised = true; hasRaised;) {
    hasRaised = false;
    for (uint32_t clique = part.first; clique < part.last; ++clique)
      if (!checkClique(clique, hasRaised))
        return false;
    for (uint32_t clique = instance.sections; clique < total.size(); ++clique)
      if (!checkClique(clique, hasRaised))
        return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Counts an item in or out of the borders it crosses; true when one of them
/// has become free.
bool Search::countCrossing(ItemId item, int32_t by) {
  if (!tables.canSplit)
    return false;
  bool isFree = false;
  Interval hull = tables.hull[item];
  for (int64_t section = hull.begin; section + 1 < hull.end; ++section) {
    crossing[section] += by;
    isFree |= crossing[section] == 0;
  }
  return isFree;
}

/// Replaces the current part by those between its free borders.
void Search::split() {
  Part part = parts[current];
  std::vector<uint32_t> cuts = {part.first};
  for (uint32_t section = part.first; section + 1 < part.last; ++section)
    if (crossing[section] == 0)
      cuts.push_back(section + 1);
  cuts.push_back(part.last);
  if (cuts.size() > 2)
    addParts(cuts);
}

void Search::addParts(const std::vector<uint32_t> &cuts) {
  Part whole = parts[current];
  std::sort(pool.begin() + whole.begin, pool.begin() + whole.end,
            [&](ItemId a, ItemId b) {
              return tables.hull[a].begin < tables.hull[b].begin;
            });
  std::vector<std::pair<int64_t, Part>> children;
  uint32_t at = whole.begin;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    uint64_t share =
        std::max<uint64_t>(whole.budget / kBudgetShare, kLeastBudget);
    Part child{at, at,          cuts[i], cuts[i + 1],       current,
               -1, whole.order, share,   stepsTaken + share};
    while (child.end < whole.end &&
           tables.hull[pool[child.end]].begin < cuts[i + 1])
      ++child.end;
    at = child.end;
    if (child.begin == child.end)
      continue;
    findFullest(child);
    children.emplace_back(slackOf(child), child);
  }
  std::stable_sort(children.begin(), children.end(),
                   [](auto &a, auto &b) { return a.first < b.first; });
  int32_t next = whole.next;
  for (size_t i = children.size(); i-- > 0;) {
    children[i].second.next = next;
    next = static_cast<int32_t>(parts.size());
    parts.push_back(children[i].second);
  }
  current = next;
}

/// What is full changes as items are placed, so each part has its own order.
void Search::findFullest(const Part &part) {
  for (uint32_t at = part.begin; at < part.end; ++at) {
    ItemId item = pool[at];
    fullests.push_back({item, fullest[item]});
    fullest[item] = fullestOf(item);
  }
}

/// The least free room of its sections.
int64_t Search::slackOf(const Part &part) const {
  int64_t lowest = kUnlimited, slack = kUnlimited;
  for (uint32_t at = part.begin; at < part.end; ++at)
    lowest = std::min(lowest, low[pool[at]]);
  for (uint32_t section = part.first; section < part.last; ++section)
    slack = std::min(slack, freeAbove(section, lowest) - total[section]);
  return slack;
}
