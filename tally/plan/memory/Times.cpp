//===- Times.cpp - lives of groups as sections ----------------------------===//
//
// Steps: a section begins where something begins after something has ended.
// a [0, 3), b [1, 2), c [2, 4): b ends at 2, where c begins, so sections are
// {a, b} and {a, c}; a is in both.
//
// Accesses: "a precedes b" is a partial order of groups. It is an interval
// order exactly when the sets of predecessors are nested; then the number of
// predecessors is a time at which a group begins, and it ends where the first
// group begins that it precedes (Fishburn 1970). Otherwise all pairs of which
// none precedes the other are listed: n^2 of them, so beyond kMostCompared
// groups one order of time is chosen that is safe for all: a group begins with
// its first access in the order of the text, and ends with the first operation
// from which on all operations start after its accesses have completed. Bounds
// then count only what one operation accesses.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Times.h"

#include "tally/plan/memory/Order.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::memory;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
struct Event {
  int64_t time;
  uint32_t group;
  uint32_t place; ///< of the interval in all intervals
};
} // namespace

/// Sections of `lives`. Groups that are needed always are added afterwards.
static void sweep(const Rows<Interval> &lives, Times &times) {
  std::vector<Event> begins, ends;
  uint32_t place = 0;
  for (uint32_t group = 0; group < lives.rows(); ++group)
    for (const Interval &life : lives[group]) {
      begins.push_back({life.begin, group, place});
      ends.push_back({life.end, group, place++});
    }
  auto earlier = [](const Event &a, const Event &b) { return a.time < b.time; };
  std::sort(begins.begin(), begins.end(), earlier);
  std::sort(ends.begin(), ends.end(), earlier);
  std::vector<Sections> sections(place);
  bool hasEnded = true;
  size_t end = 0;
  for (const Event &begin : begins) {
    for (; end < ends.size() && ends[end].time <= begin.time; ++end) {
      sections[ends[end].place].end = times.sections;
      hasEnded = true;
    }
    times.sections += hasEnded;
    hasEnded = false;
    sections[begin.place].begin = times.sections - 1;
  }
  for (; end < ends.size(); ++end)
    sections[ends[end].place].end = times.sections;
  place = 0;
  for (uint32_t group = 0; group < lives.rows(); ++group) {
    size_t count = lives[group].size();
    times.lives.push({sections.data() + place, count});
    place += count;
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {
class AccessTimes {
public:
  AccessTimes(const MemoryProblem &problem, const Groups &groups)
      : problem(problem), groups(groups), order(problem) {
    for (size_t group = 0; group < groups.groups.size(); ++group) {
      auto row = groups.accesses[group];
      spans.push_back(order.spanOf({row.begin(), row.end()}));
    }
  }

  /// Lives when the order is an interval order.
  bool findIntervals(std::vector<std::vector<Interval>> &lives) const;
  std::vector<std::vector<Interval>> safeIntervals() const;
  std::vector<std::vector<Interval>> momentsOnly() const;
  std::vector<std::pair<uint32_t, uint32_t>> meetingPairs() const;

private:
  bool isNeeded(size_t group) const { return !spans[group].isEmpty; }
  const MemoryProblem &problem;
  const Groups &groups;
  Order order;
  std::vector<Span> spans;
};
} // namespace

bool AccessTimes::findIntervals(
    std::vector<std::vector<Interval>> &lives) const {
  size_t count = spans.size();
  std::vector<int64_t> before(count), after(count), end(count);
  for (size_t a = 0; a < count; ++a)
    for (size_t b = 0; b < count; ++b)
      if (isNeeded(a) && isNeeded(b) && spans[a].precedes(spans[b])) {
        ++before[b];
        ++after[a];
      }
  auto last = static_cast<int64_t>(count);
  std::vector<int64_t> beginnings(count + 2);
  for (size_t b = 0; b < count; ++b)
    if (isNeeded(b))
      ++beginnings[before[b]];
  for (int64_t time = last; time-- > 0;)
    beginnings[time] += beginnings[time + 1];
  for (size_t a = 0; a < count; ++a) {
    end[a] = last;
    for (size_t b = 0; b < count; ++b)
      if (isNeeded(b) && spans[a].precedes(spans[b]))
        end[a] = std::min(end[a], before[b]);
    // Nested: all that begin from then on come after it.
    if (isNeeded(a) && after[a] != (after[a] ? beginnings[end[a]] : 0))
      return false;
  }
  lives.assign(count, {});
  for (size_t a = 0; a < count; ++a)
    if (isNeeded(a))
      lives[a] = {{before[a], after[a] ? end[a] : last}};
  return true;
}

std::vector<std::vector<Interval>> AccessTimes::safeIntervals() const {
  // How far each queue is before any operation from `op` on starts.
  std::vector<Span> from(problem.operations.size());
  for (OpId op = problem.operations.size(); op-- > 0;) {
    from[op] = order.spanOf({op});
    if (op + 1 < problem.operations.size())
      for (size_t queue = 0; queue < problem.queues.size(); ++queue)
        from[op].started[queue] =
            std::min(from[op].started[queue], from[op + 1].started[queue]);
  }
  std::vector<std::vector<Interval>> lives(spans.size());
  for (size_t group = 0; group < spans.size(); ++group) {
    if (!isNeeded(group))
      continue;
    auto row = groups.accesses[group];
    auto end = std::partition_point(from.begin(), from.end(), [&](auto &rest) {
      return !spans[group].precedes(rest);
    });
    lives[group] = {{*std::min_element(row.begin(), row.end()),
                     int64_t(end - from.begin())}};
  }
  return lives;
}

/// Only at an operation do the groups that it accesses surely meet.
std::vector<std::vector<Interval>> AccessTimes::momentsOnly() const {
  std::vector<std::vector<Interval>> lives(spans.size());
  for (size_t group = 0; group < spans.size(); ++group) {
    for (OpId op : groups.accesses[group])
      lives[group].push_back({op, int64_t(op) + 1});
    normalize(lives[group]);
  }
  // In-place pairs meet at one operation, if at all.
  for (auto [a, b] : groups.relaxed)
    lives[std::max(a, b)].clear();
  return lives;
}

std::vector<std::pair<uint32_t, uint32_t>> AccessTimes::meetingPairs() const {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  auto isIn = [&](uint32_t group) {
    return isNeeded(group) || groups.groups[group].isAlways;
  };
  for (uint32_t a = 0; a < spans.size(); ++a)
    for (uint32_t b = a + 1; b < spans.size(); ++b)
      if (isIn(a) && isIn(b) &&
          (groups.groups[a].isAlways || groups.groups[b].isAlways ||
           (!spans[a].precedes(spans[b]) && !spans[b].precedes(spans[a]))) &&
          !std::binary_search(groups.relaxed.begin(), groups.relaxed.end(),
                              std::pair(a, b)))
        pairs.emplace_back(a, b);
  return pairs;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

static Rows<Interval> rowsOf(const std::vector<std::vector<Interval>> &lists) {
  Rows<Interval> rows;
  for (const auto &list : lists)
    rows.push(list);
  return rows;
}

static bool intersects(std::span<const Sections> a,
                       std::span<const Sections> b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (std::max(a[i].begin, b[j].begin) < std::min(a[i].end, b[j].end))
      return true;
    if (a[i].end < b[j].end)
      ++i;
    else
      ++j;
  }
  return false;
}

static void findAccessTimes(const MemoryProblem &problem, const Groups &groups,
                            Times &times) {
  AccessTimes accesses(problem, groups);
  std::vector<std::vector<Interval>> lives(groups.groups.size());
  if (groups.groups.size() > kMostCompared) {
    times.isExact = false;
    sweep(rowsOf(groups.forBound ? accesses.momentsOnly()
                                 : accesses.safeIntervals()),
          times);
  } else if (groups.relaxed.empty() && accesses.findIntervals(lives))
    sweep(rowsOf(lives), times);
  else {
    sweep(rowsOf(lives), times);
    times.extra = accesses.meetingPairs();
  }
}

Times plan::memory::findTimes(const MemoryProblem &problem,
                              const Groups &groups) {
  Times times;
  if (groups.hasAccesses)
    findAccessTimes(problem, groups, times);
  else
    sweep(groups.lives, times);
  // What is needed always is in every section, of which there is one at least.
  bool isEver = std::any_of(groups.groups.begin(), groups.groups.end(),
                            [](auto &group) { return group.isAlways; });
  if (isEver) {
    times.sections = std::max(times.sections, 1U);
    Rows<Sections> lives;
    Sections all{0, times.sections};
    for (size_t group = 0; group < groups.groups.size(); ++group)
      lives.push(groups.groups[group].isAlways ? std::span(&all, 1)
                                               : times.lives[group]);
    times.lives = std::move(lives);
  }
  for (auto pair : groups.conflicts)
    if (!intersects(times.lives[pair.first], times.lives[pair.second]))
      times.extra.push_back(pair);
  std::sort(times.extra.begin(), times.extra.end());
  times.extra.erase(std::unique(times.extra.begin(), times.extra.end()),
                    times.extra.end());
  return times;
}
