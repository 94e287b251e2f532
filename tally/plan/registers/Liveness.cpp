//===- Liveness.cpp - where each value needs a register -------------------===//
//
// Two analyses over the steps:
//
//   live       backward: read later on some path before it is written again;
//              each value by itself, from its reads to its writes.
//   in flight  forward: read late, and no wait has covered the read on some
//              path. A state has each (value, queue) in flight and the
//              operations put into the queue since the newest read; a join is
//              their union, with the smaller counts. To a fixed point. `wait q
//              pending n` ends the reads of q that have n or more operations
//              behind them.
//
// A value needs a register at a step's
//   reads     if live before, read, or in flight before;
//   clobbers  if live after and not written there, or in flight after;
//   writes    if live after, written there, or in flight after.
//
//   p = ...                  writes
//   dma p, late, on q        reads clobbers writes
//   x = ...                  reads clobbers writes   (in flight)
//   wait q                   reads
//
// Cost: the points at which values are live or in flight, and steps x reads in
// flight for each round of the second; rounds grow with the depth of loops.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/registers/Liveness.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

using namespace tally;
using namespace tally::plan::registers;

namespace {
/// A late read in flight and the operations behind the newest one like it.
struct Flight {
  uint32_t read; ///< position in `lateReads`
  int64_t behind;
  bool operator==(const Flight &) const = default;
};
/// Ascending by `read`.
using Flights = std::vector<Flight>;

struct LateRead {
  ValueId value;
  int64_t queue;
};

using Steps = std::vector<uint32_t>; ///< positions

class Analysis {
public:
  explicit Analysis(const RegisterProblem &problem)
      : problem(problem), steps(linearize(problem)) {}
  Result<Liveness> run();

private:
  void findAccesses();
  void findLateReads();
  void solveFlights();
  Flights flightsBefore(size_t at) const;
  void issue(StatementId id, Flights &flights) const;
  Status checkHazards() const;
  Status checkHazard(size_t at, const Flights &flights) const;
  void findLive(ValueId value);
  void gatherFlights();
  void fillPoints(Liveness &result);
  void fillValue(ValueId value, Liveness &result);
  void fillClobbers(Liveness &result) const;

  const RegisterProblem &problem;
  std::vector<Step> steps;
  std::vector<LateRead> lateReads;                 ///< distinct
  std::vector<std::vector<uint32_t>> readsBegunBy; ///< of each statement
  int64_t cap = 0;                          ///< counts above it are all alike
  std::vector<std::vector<ValueId>> writes; ///< of each step
  /// Steps that read or write each value.
  std::vector<Steps> readers, writers;
  /// Steps before and behind which a value is live; those of the newest value.
  Steps liveBefore, liveAfter;
  std::vector<uint32_t> markedBefore, markedAfter; ///< value + 1, of each step
  /// Steps before and behind which each value is in flight.
  std::vector<Steps> flyingBefore, flyingAfter;
  std::vector<Flights> flightsAfter;
};
} // namespace

//===----------------------------------------------------------------------===//
// Live
//===----------------------------------------------------------------------===//

void Analysis::findAccesses() {
  size_t values = problem.values.size();
  for (std::vector<Steps> *all :
       {&readers, &writers, &flyingBefore, &flyingAfter})
    all->resize(values);
  markedBefore.resize(steps.size());
  markedAfter.resize(steps.size());
  for (uint32_t at = 0; at < steps.size(); ++at) {
    writes.push_back(writesOf(problem, steps[at]));
    for (ValueId value : writes.back())
      writers[value].push_back(at);
    for (const Use &use : readsOf(problem, steps[at]))
      readers[use.value].push_back(at);
  }
}

/// From each read back to the writes, over steps that are not marked yet.
void Analysis::findLive(ValueId value) {
  uint32_t mark = value + 1;
  liveBefore.clear();
  liveAfter.clear();
  auto enter = [&](uint32_t at) {
    if (std::exchange(markedBefore[at], mark) != mark)
      liveBefore.push_back(at);
  };
  for (uint32_t at : readers[value])
    enter(at);
  // Grows while it is walked.
  for (size_t next = 0; next < liveBefore.size(); ++next)
    for (uint32_t before : steps[liveBefore[next]].predecessors) {
      if (std::exchange(markedAfter[before], mark) == mark)
        continue;
      liveAfter.push_back(before);
      if (!std::ranges::count(writes[before], value))
        enter(before);
    }
}

//===----------------------------------------------------------------------===//
// In flight
//===----------------------------------------------------------------------===//

void Analysis::findLateReads() {
  std::map<std::pair<ValueId, int64_t>, uint32_t> known;
  readsBegunBy.resize(problem.statements.size());
  for (StatementId id = 0; id < problem.statements.size(); ++id) {
    const Statement &statement = problem.statements[id];
    cap = std::max(cap, statement.pending);
    for (const Use &use : statement.uses) {
      if (!use.late)
        continue;
      auto [read, isNew] =
          known.emplace(std::pair(use.value, statement.queue),
                        static_cast<uint32_t>(lateReads.size()));
      if (isNew)
        lateReads.push_back({use.value, statement.queue});
      readsBegunBy[id].push_back(read->second);
    }
    std::ranges::sort(readsBegunBy[id]);
  }
}

/// The union of `one` and `other`, with the smaller counts.
static Flights join(const Flights &one, const Flights &other) {
  Flights result;
  std::ranges::merge(one, other, std::back_inserter(result), {}, &Flight::read,
                     &Flight::read);
  size_t kept = 0;
  for (const Flight &flight : result)
    if (kept > 0 && result[kept - 1].read == flight.read)
      result[kept - 1].behind =
          std::min(result[kept - 1].behind, flight.behind);
    else
      result[kept++] = flight;
  result.resize(kept);
  return result;
}

Flights Analysis::flightsBefore(size_t at) const {
  Flights flights;
  for (uint32_t before : steps[at].predecessors)
    flights = flights.empty() ? flightsAfter[before]
                              : join(flights, flightsAfter[before]);
  return flights;
}

/// What a wait or an operation in a queue does to reads in flight.
void Analysis::issue(StatementId id, Flights &flights) const {
  const Statement &statement = problem.statements[id];
  if (statement.queue == kNone)
    return;
  auto isMine = [&](const Flight &flight) {
    return lateReads[flight.read].queue == statement.queue;
  };
  if (statement.kind == StatementKind::Wait) {
    std::erase_if(flights, [&](const Flight &flight) {
      return isMine(flight) && flight.behind >= statement.pending;
    });
    return;
  }
  for (Flight &flight : flights)
    if (isMine(flight))
      flight.behind = std::min(flight.behind + 1, cap);
  Flights begun;
  for (uint32_t read : readsBegunBy[id])
    begun.push_back({read, 0});
  flights = join(begun, flights);
}

/// A program that never waits has more and more in flight. It needs too many
/// registers as soon as there are more values than registers, so no more than
/// that are kept.
void Analysis::solveFlights() {
  size_t kept = (static_cast<size_t>(problem.file.count) + 64) *
                std::max<size_t>(1, problem.queues.size());
  flightsAfter.resize(steps.size());
  for (bool changed = !lateReads.empty(); changed;) {
    changed = false;
    for (size_t at = 0; at < steps.size(); ++at) {
      Flights flights = flightsBefore(at);
      issue(steps[at].statement, flights);
      if (flights.size() > kept)
        flights.resize(kept);
      if (flights == flightsAfter[at])
        continue;
      flightsAfter[at] = std::move(flights);
      changed = true;
    }
  }
}

/// REG-7 at one step; `flights` has the step's own late reads.
Status Analysis::checkHazard(size_t at, const Flights &flights) const {
  std::vector<ValueId> writes = writesOf(problem, steps[at]);
  for (const Flight &flight : flights) {
    const LateRead &read = lateReads[flight.read];
    if (!std::ranges::count(writes, read.value))
      continue;
    std::string value = describe(problem.values[read.value]);
    std::string queue = "'" + problem.queues[read.queue] + "'";
    const std::string &name = problem.statements[steps[at].statement].name;
    Diagnostic failure;
    failure.kind = FailureKind::Model;
    failure.rule = "REG-7";
    failure.message = "'" + name + "' writes " + value + " while queue " +
                      queue + " may still read it";
    failure.hint = "wait for " + queue + " before, or write another value";
    return failure;
  }
  return Status::success();
}

Status Analysis::checkHazards() const {
  if (lateReads.empty())
    return Status::success();
  for (size_t at = 0; at < steps.size(); ++at) {
    Flights flights = flightsBefore(at);
    issue(steps[at].statement, flights);
    if (Status status = checkHazard(at, flights); !status)
      return status;
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

static void append(Ranges &ranges, Point point) {
  if (!ranges.empty() && ranges.back().end == point)
    ++ranges.back().end;
  else
    ranges.push_back({point, point + 1});
}

void Analysis::gatherFlights() {
  if (lateReads.empty())
    return;
  auto add = [](std::vector<Steps> &steps, ValueId value, uint32_t at) {
    if (steps[value].empty() || steps[value].back() != at)
      steps[value].push_back(at);
  };
  for (uint32_t at = 0; at < steps.size(); ++at) {
    for (const Flight &flight : flightsBefore(at))
      add(flyingBefore, lateReads[flight.read].value, at);
    for (const Flight &flight : flightsAfter[at])
      add(flyingAfter, lateReads[flight.read].value, at);
  }
}

static void sortOnce(std::vector<Point> &points) {
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
}

void Analysis::fillValue(ValueId value, Liveness &result) {
  findLive(value);
  std::vector<Point> live, flying;
  for (uint32_t at : liveBefore)
    live.push_back(at * kPointsPerStep);
  for (uint32_t at : liveAfter) {
    if (!std::ranges::count(writes[at], value))
      live.push_back(at * kPointsPerStep + 1);
    live.push_back(at * kPointsPerStep + 2);
  }
  for (uint32_t at : writers[value])
    live.push_back(at * kPointsPerStep + 2);
  for (uint32_t at : flyingBefore[value])
    flying.push_back(at * kPointsPerStep);
  for (uint32_t at : flyingAfter[value])
    for (Point point : {1, 2})
      flying.push_back(at * kPointsPerStep + point);
  sortOnce(live);
  sortOnce(flying);
  std::vector<Point> all, only;
  std::ranges::set_union(live, flying, std::back_inserter(all));
  std::ranges::set_difference(flying, live, std::back_inserter(only));
  for (Point point : all) {
    append(result.values[value], point);
    ++result.pressure[point];
  }
  for (Point point : only)
    append(result.onlyInFlight[value], point);
}

void Analysis::fillPoints(Liveness &result) {
  result.values.resize(problem.values.size());
  result.onlyInFlight.resize(problem.values.size());
  result.pressure.resize(steps.size() * kPointsPerStep);
  gatherFlights();
  for (ValueId value = 0; value < problem.values.size(); ++value)
    fillValue(value, result);
}

void Analysis::fillClobbers(Liveness &result) const {
  result.clobbers.resize(problem.file.count);
  for (uint32_t at = 0; at < steps.size(); ++at) {
    Point point = at * kPointsPerStep + 1;
    std::vector<uint32_t> regs =
        problem.statements[steps[at].statement].clobbers;
    std::ranges::sort(regs);
    regs.erase(std::unique(regs.begin(), regs.end()), regs.end());
    for (uint32_t reg : regs) {
      append(result.clobbers[reg], point);
      if (!std::ranges::count(problem.file.reserved, reg))
        ++result.pressure[point];
    }
  }
}

Result<Liveness> Analysis::run() {
  findAccesses();
  findLateReads();
  solveFlights();
  if (Status status = checkHazards(); !status)
    return status.takeError();
  Liveness result;
  fillPoints(result);
  fillClobbers(result);
  result.steps = std::move(steps);
  return result;
}

Result<Liveness>
tally::plan::registers::computeLiveness(const RegisterProblem &problem) {
  return Analysis(problem).run();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

bool tally::plan::registers::covers(const Ranges &ranges, Point point) {
  auto after = std::ranges::upper_bound(ranges, point, {}, &Range::begin);
  return after != ranges.begin() && point < std::prev(after)->end;
}

Range tally::plan::registers::rangeAt(const Ranges &ranges, Point point) {
  return *std::prev(std::ranges::upper_bound(ranges, point, {}, &Range::begin));
}

int64_t tally::plan::registers::firstCommon(const Ranges &a, const Ranges &b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    Point begin = std::max(a[i].begin, b[j].begin);
    if (begin < std::min(a[i].end, b[j].end))
      return begin;
    a[i].end < b[j].end ? ++i : ++j;
  }
  return kNone;
}
