//===- Liveness.cpp - where each value needs a register -------------------===//
//
// Two analyses over the steps, each to a fixed point:
//
//   live       backward: read later on some path before it is written again.
//   in flight  forward: read late, and no wait has covered the read on some
//              path. A state has each (value, queue) in flight and the
//              operations put into the queue since the newest read; a join is
//              their union, with the smaller counts. `wait q pending n`
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
// Cost: steps x (values / 64 + reads in flight) for each round; rounds grow
// with the depth of loops.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/registers/Liveness.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <span>

using namespace tally;
using namespace tally::plan::registers;

namespace {
/// A set of values for each step, in words of 64.
class Sets {
public:
  void resize(size_t steps, size_t values) {
    width = (values + 63) / 64;
    words.assign(steps * width, 0);
  }
  std::span<uint64_t> operator[](size_t step) {
    return {words.data() + step * width, width};
  }
  std::span<const uint64_t> operator[](size_t step) const {
    return {words.data() + step * width, width};
  }
  void insert(size_t step, ValueId value) {
    words[step * width + value / 64] |= uint64_t(1) << value % 64;
  }

private:
  size_t width = 0;
  std::vector<uint64_t> words;
};

using Set = std::vector<uint64_t>;

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

class Analysis {
public:
  explicit Analysis(const RegisterProblem &problem)
      : problem(problem), steps(linearize(problem)) {}
  Result<Liveness> run();

private:
  void findLateReads();
  void solveLive();
  bool liveStep(size_t at, const std::vector<uint32_t> &successors);
  void solveFlights();
  Flights flightsBefore(size_t at) const;
  void issue(StatementId id, Flights &flights) const;
  Status checkHazards() const;
  Status checkHazard(size_t at, const Flights &flights) const;
  void fillPoints(Liveness &result) const;
  void addPoint(std::span<const uint64_t> live, const Flights &flights,
                Liveness &result) const;
  void fillClobbers(Liveness &result) const;

  const RegisterProblem &problem;
  std::vector<Step> steps;
  std::vector<LateRead> lateReads;                 ///< distinct
  std::vector<std::vector<uint32_t>> readsBegunBy; ///< of each statement
  int64_t cap = 0; ///< counts above it are all alike
  Sets reads, writes, liveBefore, liveAfter;
  std::vector<Flights> flightsAfter;
};
} // namespace

//===----------------------------------------------------------------------===//
// Live
//===----------------------------------------------------------------------===//

/// Recomputes one step; whether what is live before it grew.
bool Analysis::liveStep(size_t at, const std::vector<uint32_t> &successors) {
  bool grew = false;
  auto after = liveAfter[at], before = liveBefore[at];
  auto read = reads[at], written = writes[at];
  for (size_t word = 0; word < after.size(); ++word) {
    for (uint32_t next : successors)
      after[word] |= liveBefore[next][word];
    uint64_t now = (after[word] & ~written[word]) | read[word];
    grew |= now != before[word];
    before[word] = now;
  }
  return grew;
}

void Analysis::solveLive() {
  std::vector<std::vector<uint32_t>> successors(steps.size());
  for (Sets *sets : {&reads, &writes, &liveBefore, &liveAfter})
    sets->resize(steps.size(), problem.values.size());
  for (uint32_t at = 0; at < steps.size(); ++at) {
    for (uint32_t before : steps[at].predecessors)
      successors[before].push_back(at);
    for (const Use &use : readsOf(problem, steps[at]))
      reads.insert(at, use.value);
    for (ValueId value : writesOf(problem, steps[at]))
      writes.insert(at, value);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t at = steps.size(); at-- > 0;)
      changed |= liveStep(at, successors[at]);
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

void Analysis::solveFlights() {
  flightsAfter.resize(steps.size());
  for (bool changed = !lateReads.empty(); changed;) {
    changed = false;
    for (size_t at = 0; at < steps.size(); ++at) {
      Flights flights = flightsBefore(at);
      issue(steps[at].statement, flights);
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

/// Adds the next point, with the values that are live there and those in
/// flight.
void Analysis::addPoint(std::span<const uint64_t> live, const Flights &flights,
                        Liveness &result) const {
  Set needed(live.begin(), live.end());
  for (const Flight &flight : flights) {
    ValueId value = lateReads[flight.read].value;
    needed[value / 64] |= uint64_t(1) << value % 64;
  }
  Point point = static_cast<Point>(result.pressure.size());
  result.pressure.push_back(0);
  for (size_t word = 0; word < needed.size(); ++word)
    for (uint64_t rest = needed[word]; rest != 0; rest &= rest - 1) {
      int bit = std::countr_zero(rest);
      ValueId value = static_cast<ValueId>(64 * word + bit);
      append(result.values[value], point);
      if (!(live[word] >> bit & 1))
        append(result.onlyInFlight[value], point);
      ++result.pressure.back();
    }
}

void Analysis::fillPoints(Liveness &result) const {
  result.values.resize(problem.values.size());
  result.onlyInFlight.resize(problem.values.size());
  for (size_t at = 0; at < steps.size(); ++at) {
    auto after = liveAfter[at], written = writes[at];
    Set through(after.begin(), after.end()), all = through;
    for (size_t word = 0; word < all.size(); ++word) {
      through[word] &= ~written[word];
      all[word] |= written[word];
    }
    addPoint(liveBefore[at], flightsBefore(at), result);
    addPoint(through, flightsAfter[at], result);
    addPoint(all, flightsAfter[at], result);
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
