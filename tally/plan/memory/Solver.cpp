//===- Solver.cpp - a memory plan and why it is so ------------------------===//
//
// Checks, decides which in-place pairs to take, packs, compares with limits.
//
// A taken pair saves bytes at one step and ties two storages to one address for
// the whole of both lives, so it can do harm. Few pairs are tried in all
// combinations; with more, all and none, and from the better one each pair is
// changed once. The bound counts neither: a result that may share its operand's
// bytes adds nothing at the step they share.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Solver.h"

#include "tally/plan/memory/Account.h"
#include "tally/plan/memory/InPlace.h"
#include "tally/plan/memory/Pack.h"
#include "tally/plan/memory/Refuse.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::memory;

const char *plan::memory::proofName(Proof proof) {
  constexpr const char *names[] = {"needed together", "fixed address",
                                   "search"};
  return names[static_cast<int>(proof)];
}

static constexpr uint64_t kBoundNodes = 20'000;
/// Up to so many pairs all combinations are tried.
static constexpr size_t kFewPairs = 4;
static constexpr size_t kMostChanges = 48;
static constexpr uint64_t kChangeSteps = 5'000;

namespace {
class Solver {
public:
  Solver(const MemoryProblem &problem, const SolveOptions &options)
      : problem(problem), options(options), faults(pairFaults(problem)) {
    for (uint32_t pair = 0; pair < faults.size(); ++pair)
      if (faults[pair].empty())
        legal.push_back(pair);
    effort.steps = options.steps;
    if (options.seconds > 0)
      effort.until = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::duration<double>(options.seconds));
  }

  Result<MemorySolution> run();

private:
  Status findLowerBound();
  bool isDone() const {
    return isFound &&
           (best.plan.extent <= best.report.lowerBound ||
            (options.fit && best.plan.extent <= problem.limits.tightest()));
  }
  /// Plans with these pairs; keeps the plan if it is the best so far.
  Status attempt(const std::vector<uint32_t> &merged, uint64_t steps);
  Status attemptAll();
  Status attemptChanges();
  std::vector<uint32_t> asManyAsPossible() const;
  MemorySolution finish();

  const MemoryProblem &problem;
  const SolveOptions &options;
  std::vector<std::string> faults;
  std::vector<uint32_t> legal;
  Effort effort;
  MemorySolution best;
  bool isFound = false;
};
} // namespace

Status Solver::findLowerBound() {
  Result<Grouped> relaxed = makeInstance(problem, {{}, legal, true});
  if (!relaxed)
    return relaxed.takeError();
  Bound bound = findBound(relaxed->instance, kBoundNodes);
  best.report.lowerBound = bound.top * relaxed->instance.unit;
  best.report.proof = bound.proof.empty() ? Proof::Fixed : Proof::Together;
  best.report.proofSet = rootsOf(*relaxed, bound.proof);
  sortBySize(problem, best.report.proofSet);
  return Status::success();
}

Status Solver::attempt(const std::vector<uint32_t> &merged, uint64_t steps) {
  InPlaceChoice choice{merged, {}, false};
  Result<Grouped> grouped = makeInstance(problem, choice);
  if (!grouped) // a fixed operand's bytes are another's while the result lives
    return merged.empty() ? Status(grouped.takeError()) : Status::success();
  const Instance &instance = grouped->instance;
  Effort mine = effort;
  mine.steps = steps;
  if (int64_t limit = problem.limits.tightest();
      options.fit && limit != kUnlimited)
    mine.enough = limit / instance.unit;
  PackResult packed = pack(instance, findBound(instance, kBoundNodes), mine);
  best.report.steps += packed.steps;
  if (packed.best.isFound()) {
    MemoryPlan plan =
        makePlan(problem, *grouped, choice, packed.best.addresses);
    if (!isFound || plan.extent < best.plan.extent)
      best.plan = std::move(plan);
    isFound = true;
  }
  // Without pairs to choose, what the search shows is shown for all plans.
  int64_t shown = packed.lowerBound * instance.unit;
  if (legal.empty() && packed.isExhausted && instance.isExact &&
      shown > best.report.lowerBound) {
    best.report.lowerBound = shown;
    best.report.proof = Proof::Search;
    best.report.proofSet.clear();
  }
  return Status::success();
}

std::vector<uint32_t> Solver::asManyAsPossible() const {
  std::vector<uint32_t> taken;
  for (uint32_t pair : legal) {
    taken.push_back(pair);
    if (!canMerge(problem, taken))
      taken.pop_back();
  }
  return taken;
}

Status Solver::attemptAll() {
  for (uint32_t chosen = (1U << legal.size()); chosen-- > 0 && !isDone();) {
    std::vector<uint32_t> merged;
    for (size_t i = 0; i < legal.size(); ++i)
      if (chosen >> i & 1)
        merged.push_back(legal[i]);
    if (canMerge(problem, merged))
      if (Status status = attempt(merged, effort.steps); !status)
        return status;
  }
  return Status::success();
}

Status Solver::attemptChanges() {
  if (Status status = attempt(asManyAsPossible(), kChangeSteps); !status)
    return status;
  if (Status status = attempt({}, kChangeSteps); !status)
    return status;
  size_t changes = std::min(legal.size(), kMostChanges);
  for (size_t i = 0; i < changes && !isDone(); ++i) {
    std::vector<uint32_t> merged = best.plan.inPlace;
    if (std::erase(merged, legal[i]) == 0)
      merged.push_back(legal[i]);
    if (canMerge(problem, merged))
      if (Status status = attempt(merged, kChangeSteps); !status)
        return status;
  }
  return isDone() ? Status::success()
                  : attempt(best.plan.inPlace, effort.steps);
}

MemorySolution Solver::finish() {
  for (uint32_t pair = 0; pair < faults.size(); ++pair)
    best.report.pairs.push_back({false, faults[pair]});
  for (uint32_t pair : best.plan.inPlace)
    best.report.pairs[pair].isTaken = true;
  account(problem, best.plan, best.report);
  return std::move(best);
}

Result<MemorySolution> Solver::run() {
  if (Status status = findLowerBound(); !status)
    return status.takeError();
  Status status = legal.empty()               ? attempt({}, effort.steps)
                  : legal.size() <= kFewPairs ? attemptAll()
                                              : attemptChanges();
  if (!status)
    return status.takeError();
  if (!isFound)
    return noPlace();
  return finish();
}

Result<MemorySolution> plan::memory::planMemory(const MemoryProblem &problem,
                                                const SolveOptions &options,
                                                Refusal *refusal) {
  Refusal why;
  Status status = checkProblem(problem);
  if (status) {
    Result<MemorySolution> solution = Solver(problem, options).run();
    if (solution && solution->plan.extent <= problem.limits.tightest())
      return solution;
    why = solution ? refuse(problem, std::move(*solution), options)
                   : Refusal{solution.takeError(), "", 0, 0, false, {}, {}};
  } else {
    why.diagnostic = status.takeError();
  }
  Diagnostic diagnostic = why.diagnostic;
  if (refusal)
    *refusal = std::move(why);
  return diagnostic;
}
