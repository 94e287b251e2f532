//===- Liveness.cpp - where each value needs a register -------------------===//
//
// Two analyses over the steps, each to a fixed point:
//
//   live       backward: read later on some path before it is written again.
//   in flight  forward: read late, and no wait has covered the read on some
//              path. A state counts, for each (value, queue) that is read
//              late, the operations put into the queue since the newest read;
//              at a join the smaller count is the state. `wait q pending n`
//              ends the reads of q that have n or more operations behind them.
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
// Cost: steps x (values + late reads) for each round; rounds grow with the
// depth of loops.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/registers/Liveness.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::registers;

namespace {
using Bits = std::vector<bool>;
/// Operations behind the newest late read, or kLanded.
using Flights = std::vector<int64_t>;
constexpr int64_t kLanded = INT64_MAX;

struct LateRead {
  ValueId value;
  int64_t queue;
};

class Analysis {
public:
  explicit Analysis(const RegisterProblem &problem)
      : problem(problem), steps(linearize(problem)) {}
  Result<Liveness> run();

private:
  void findLateReads();
  void solveLive();
  bool liveStep(size_t at, std::vector<std::vector<uint32_t>> &successors);
  void solveFlights();
  Flights flightsBefore(size_t at) const;
  void issue(const Statement &statement, Flights &flights) const;
  Status checkHazards() const;
  Status checkHazard(size_t at, const Flights &flights) const;
  void fillPoints(Liveness &result) const;
  void markFlights(const Flights &flights, Bits &needed) const;
  void addPoint(const Bits &live, const Flights &flights,
                Liveness &result) const;
  void fillClobbers(Liveness &result) const;

  const RegisterProblem &problem;
  std::vector<Step> steps;
  std::vector<LateRead> lateReads; ///< distinct
  int64_t cap = 0;                 ///< counts above it are all alike
  std::vector<Bits> liveBefore, liveAfter;
  std::vector<Flights> flightsAfter;
};
} // namespace

//===----------------------------------------------------------------------===//
// Live
//===----------------------------------------------------------------------===//

/// Recomputes one step; whether what is live before it grew.
bool Analysis::liveStep(size_t at,
                        std::vector<std::vector<uint32_t>> &successors) {
  Bits &after = liveAfter[at];
  for (uint32_t next : successors[at])
    for (size_t value = 0; value < after.size(); ++value)
      if (liveBefore[next][value])
        after[value] = true;
  Bits before = after;
  for (ValueId value : writesOf(problem, steps[at]))
    before[value] = false;
  for (const Use &use : readsOf(problem, steps[at]))
    before[use.value] = true;
  if (before == liveBefore[at])
    return false;
  liveBefore[at] = std::move(before);
  return true;
}

void Analysis::solveLive() {
  std::vector<std::vector<uint32_t>> successors(steps.size());
  for (uint32_t at = 0; at < steps.size(); ++at)
    for (uint32_t before : steps[at].predecessors)
      successors[before].push_back(at);
  liveBefore.assign(steps.size(), Bits(problem.values.size()));
  liveAfter = liveBefore;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t at = steps.size(); at-- > 0;)
      changed |= liveStep(at, successors);
  }
}

//===----------------------------------------------------------------------===//
// In flight
//===----------------------------------------------------------------------===//

void Analysis::findLateReads() {
  for (const Statement &statement : problem.statements) {
    cap = std::max(cap, statement.pending);
    for (const Use &use : statement.uses) {
      auto same = [&](const LateRead &other) {
        return other.value == use.value && other.queue == statement.queue;
      };
      if (use.late && std::ranges::none_of(lateReads, same))
        lateReads.push_back({use.value, statement.queue});
    }
  }
}

Flights Analysis::flightsBefore(size_t at) const {
  Flights flights(lateReads.size(), kLanded);
  for (uint32_t before : steps[at].predecessors)
    for (size_t i = 0; i < flights.size(); ++i)
      flights[i] = std::min(flights[i], flightsAfter[before][i]);
  return flights;
}

/// What a wait or an operation in a queue does to reads in flight.
void Analysis::issue(const Statement &statement, Flights &flights) const {
  for (size_t i = 0; i < flights.size(); ++i) {
    if (lateReads[i].queue != statement.queue)
      continue;
    if (statement.kind == StatementKind::Wait) {
      if (flights[i] >= statement.pending)
        flights[i] = kLanded;
      continue;
    }
    if (flights[i] != kLanded)
      flights[i] = std::min(flights[i] + 1, cap);
    for (const Use &use : statement.uses)
      if (use.late && use.value == lateReads[i].value)
        flights[i] = 0;
  }
}

void Analysis::solveFlights() {
  flightsAfter.assign(steps.size(), Flights(lateReads.size(), kLanded));
  for (bool changed = !lateReads.empty(); changed;) {
    changed = false;
    for (size_t at = 0; at < steps.size(); ++at) {
      Flights flights = flightsBefore(at);
      issue(problem.statements[steps[at].statement], flights);
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
  for (size_t i = 0; i < flights.size(); ++i) {
    if (flights[i] == kLanded ||
        !std::ranges::count(writes, lateReads[i].value))
      continue;
    std::string value = "'" + problem.values[lateReads[i].value].name + "'";
    std::string queue = "'" + problem.queues[lateReads[i].queue] + "'";
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
    issue(problem.statements[steps[at].statement], flights);
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

void Analysis::markFlights(const Flights &flights, Bits &needed) const {
  for (size_t i = 0; i < flights.size(); ++i)
    if (flights[i] != kLanded)
      needed[lateReads[i].value] = true;
}

/// Adds the next point, with the values that are live there and those in
/// flight.
void Analysis::addPoint(const Bits &live, const Flights &flights,
                        Liveness &result) const {
  Bits needed = live;
  markFlights(flights, needed);
  Point point = static_cast<Point>(result.pressure.size());
  result.pressure.push_back(0);
  for (ValueId value = 0; value < needed.size(); ++value) {
    if (!needed[value])
      continue;
    append(result.values[value], point);
    if (!live[value])
      append(result.onlyInFlight[value], point);
    ++result.pressure.back();
  }
}

void Analysis::fillPoints(Liveness &result) const {
  result.values.resize(problem.values.size());
  result.onlyInFlight.resize(problem.values.size());
  for (size_t at = 0; at < steps.size(); ++at) {
    Bits through = liveAfter[at], written = liveAfter[at];
    for (ValueId value : writesOf(problem, steps[at])) {
      through[value] = false;
      written[value] = true;
    }
    addPoint(liveBefore[at], flightsBefore(at), result);
    addPoint(through, flightsAfter[at], result);
    addPoint(written, flightsAfter[at], result);
  }
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
  findLateReads();
  solveLive();
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
