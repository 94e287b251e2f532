//===- Program.cpp - which way serves a program ---------------------------===//
//
// The first way that gives a plan is taken; when none does, all that stood
// against them is told. Prices are those of one execution, run by Simulation.h.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Program.h"
#include "tally/plan/sync/Execution.h"
#include "tally/plan/sync/Simulation.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::sync;

/// Operations looked at together: those of a loop times the trips that its
/// distances reach, and as often as the loops around it.
static constexpr double kMostUnrolled = 1 << 24;
static constexpr uint32_t kPricedTrips = 4;

static Diagnostic unsupported(const char *rule, std::string message,
                              std::string hint) {
  Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = rule;
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static Status checkSize(const SyncProblem &problem) {
  std::vector<uint32_t> reach(problem.regions.size(), 0);
  for (const Dependency &one : problem.dependencies)
    for (size_t i = 0; one.distance && i < reach.size(); ++i)
      if (problem.regions[i].first <= one.to && one.to < problem.regions[i].end)
        reach[i] = std::max(reach[i], one.distance);
  Nesting nesting(problem);
  double sum = 0;
  for (Op op = 0; op < problem.operations.size(); ++op) {
    double runs = 1;
    for (uint32_t loop = nesting.loopAround(op); loop != kOutside;
         loop = nesting.loopAroundLoop(loop))
      runs *= reach[loop] + 3;
    sum += runs;
  }
  if (sum <= kMostUnrolled)
    return Status::success();
  return unsupported(
      "SYNC-10",
      "loops of " + std::to_string(problem.operations.size()) +
          " operations are looked at over more than 2^24 operations in as many "
          "trips as dependencies go back",
      "shorten distances or loops, or nest fewer loops");
}

static bool hasLoop(const SyncProblem &problem) {
  return std::any_of(
      problem.regions.begin(), problem.regions.end(), [](const Region &region) {
        return region.kind == Region::Loop && region.first < region.end;
      });
}

static Result<Way> chooseWay(const SyncProblem &problem) {
  if (!hasLoop(problem))
    return planBranches(problem);
  bool isCounter = problem.file.kind == FileKind::Counter;
  std::string obstacles;
  for (auto way : {isCounter ? planRelative : planCredited, planEpochs}) {
    Result<Way> found = way(problem);
    if (!found || found->obstacle.empty())
      return found;
    obstacles += (obstacles.empty() ? "" : "; ") + found->obstacle;
  }
  return unsupported(
      "SYNC-13", "no waits are right in every trip of a loop: " + obstacles,
      isCounter ? "give the file relative waits and loops their trips, or let "
                  "the command processor drain"
                : "give the file more or wider registers, or let the command "
                  "processor drain");
}

static std::vector<uint32_t> pricedTrips(const SyncProblem &problem) {
  std::vector<uint32_t> trips;
  trips.reserve(problem.regions.size());
  for (const Region &region : problem.regions)
    trips.push_back(region.kind == Region::If ? 0
                    : region.trips == Region::kAnyTrips
                        ? kPricedTrips
                        : static_cast<uint32_t>(
                              std::min<int64_t>(region.trips, kPricedTrips)));
  return trips;
}

/// The least time between the end of an operation and the start of one that
/// waits for it, in one execution without limits.
static void measureSlack(const Execution &run, const Schedule &plenty,
                         std::vector<Holder> &pressure) {
  std::map<std::pair<Op, Op>, int64_t> slackOf;
  for (const Dependency &one : run.problem.dependencies) {
    int64_t slack = plenty.start[one.to] - plenty.end[one.from];
    auto [at, isNew] = slackOf.try_emplace(
        {run.original[one.from], run.original[one.to]}, slack);
    at->second = std::min(at->second, slack);
  }
  for (Holder &holder : pressure) {
    std::optional<int64_t> least;
    for (Op waiter : holder.waiters)
      if (auto at = slackOf.find({holder.op, waiter}); at != slackOf.end())
        least = std::min(least.value_or(at->second), at->second);
    holder.slack = least.value_or(0);
  }
}

static void priceExecution(const SyncProblem &problem, SyncSolution &solution) {
  SyncReport &report = solution.report;
  report.pricedTrips = pricedTrips(problem);
  Execution run = execute(problem, solution.plan, {report.pricedTrips});
  report.makespan = simulate(run.problem, run.plan).makespan;
  std::vector<Edge> edges;
  edges.reserve(run.problem.dependencies.size());
  for (const Dependency &one : run.problem.dependencies)
    edges.push_back({one.from, one.to});
  Schedule plenty = predict(run.problem, edges, {});
  report.unlimited = plenty.makespan;
  for (const Operation &operation : run.problem.operations)
    report.serial += operation.duration;
  measureSlack(run, plenty, report.pressure);
}

static Result<SyncSolution> solveOnce(const SyncProblem &problem) {
  Result<Way> way = chooseWay(problem);
  if (!way)
    return way.takeError();
  SyncSolution solution;
  solution.plan = std::move(way->plan);
  SyncReport &report = solution.report;
  bool isIdle = solution.plan.waits.empty() && solution.plan.drains.empty();
  report.method = isIdle ? Method::None : way->method;
  report.dependencies = problem.dependencies.size();
  report.edges = way->edges;
  report.addedOrder = way->addedOrder;
  report.usable = static_cast<int64_t>(problem.file.usable().size());
  report.needed = way->needed;
  report.lowerBound = way->needed ? 1 : 0;
  report.proof =
      report.needed > report.lowerBound ? Proof::Bracket : Proof::Witness;
  report.pressure = std::move(way->pressure);
  priceExecution(problem, solution);
  return solution;
}

/// Every count of registers for which there is a plan, up to what is needed.
static std::vector<PricePoint> priceCurve(SyncProblem problem, int64_t needed) {
  std::vector<PricePoint> curve;
  problem.file.reserved.clear();
  for (int64_t count = 0; count <= needed; ++count) {
    problem.file.count = count;
    if (Result<SyncSolution> solution = solveOnce(problem); solution)
      curve.push_back(
          {count, solution->report.makespan, solution->report.method});
  }
  return curve;
}

Result<SyncSolution>
tally::plan::sync::solveProgram(const SyncProblem &problem,
                                const SolveOptions &options) {
  if (Status status = checkSize(problem); !status)
    return status.takeError();
  Result<SyncSolution> solution = solveOnce(problem);
  if (solution && options.priceCurve)
    solution->report.curve = priceCurve(problem, solution->report.needed);
  return solution;
}
