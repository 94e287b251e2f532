//===- Refuse.cpp - why a problem has no plan that fits -------------------===//
//
// A remedy is only named after the changed problem was solved and fits. Of each
// kind the smallest one is sought, among the storages of the peak: what lives
// at other times cannot lower the bound.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Refuse.h"

#include "tally/plan/memory/Account.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::memory;

static constexpr size_t kMostTried = 12;
static constexpr uint64_t kTrySteps = 20'000;
static constexpr size_t kMostNamed = 5;

namespace {
class RemedyFinder {
public:
  RemedyFinder(const MemoryProblem &problem, const Refusal &refusal)
      : problem(problem), refusal(refusal) {
    // From the smallest on: the first that fits is the smallest change.
    tried = refusal.solution.report.peakSet;
    for (StorageId id : refusal.solution.report.proofSet)
      if (std::find(tried.begin(), tried.end(), id) == tried.end())
        tried.push_back(id);
    sortBySize(problem, tried);
    std::reverse(tried.begin(), tried.end());
  }

  std::vector<Remedy> run() {
    remedies.push_back({Remedy::RaiseLimit, 0, 0,
                        refusal.solution.report.extent,
                        refusal.solution.report.extent});
    for (auto kind : {Remedy::Shrink, Remedy::MoveAway, Remedy::Spill,
                      Remedy::TakePlace, Remedy::Unpin})
      findOne(kind);
    return std::move(remedies);
  }

private:
  void findOne(Remedy::Kind kind);
  bool change(MemoryProblem &changed, Remedy &remedy) const;
  bool changeSpill(Storage &storage) const;
  bool changePlace(MemoryProblem &changed, Remedy &remedy) const;
  bool fits(const MemoryProblem &changed, Remedy &remedy) const;

  const MemoryProblem &problem;
  const Refusal &refusal;
  std::vector<StorageId> tried;
  std::vector<Remedy> remedies;
};
} // namespace

void RemedyFinder::findOne(Remedy::Kind kind) {
  size_t count = 0;
  for (StorageId id : tried) {
    Remedy remedy{kind, id, 0, problem.storages[id].bytes, 0};
    MemoryProblem changed = problem;
    if (!change(changed, remedy))
      continue;
    if (fits(changed, remedy)) {
      remedies.push_back(remedy);
      return;
    }
    if (++count == kMostTried)
      return;
  }
}

/// Whether the remedy applies; makes the change.
bool RemedyFinder::change(MemoryProblem &changed, Remedy &remedy) const {
  Storage &storage = changed.storages[remedy.storage];
  bool hasParts =
      std::any_of(problem.storages.begin(), problem.storages.end(),
                  [&](auto &one) { return one.root == remedy.storage; });
  switch (remedy.kind) {
  case Remedy::MoveAway:
    storage.kind = StorageClass::Caller;
    storage.at = storage.bank = kNone;
    changed.inPlace.clear();
    return true;
  case Remedy::Shrink:
    remedy.bytes = refusal.missing;
    storage.bytes -= refusal.missing;
    return storage.bytes > 0 && !hasParts;
  case Remedy::Spill:
    return changeSpill(storage) && !hasParts;
  case Remedy::TakePlace:
    return changePlace(changed, remedy);
  case Remedy::Unpin: {
    bool isPinned = storage.at != kNone || storage.bank != kNone;
    storage.at = storage.bank = kNone;
    return isPinned;
  }
  case Remedy::RaiseLimit:
    return false;
  }
  return false;
}

/// Cuts the peak step out of a life that goes on before and after it.
bool RemedyFinder::changeSpill(Storage &storage) const {
  int64_t step = refusal.solution.report.peakStep;
  if (step == kNone || storage.kind != StorageClass::Transient)
    return false;
  for (Interval &life : storage.life)
    if (life.begin < step && step + 1 < life.end) {
      Interval rest{step + 1, life.end};
      life.end = step;
      storage.life.push_back(rest);
      return true;
    }
  return false;
}

/// Looks for an operand that ends where the storage begins.
bool RemedyFinder::changePlace(MemoryProblem &changed, Remedy &remedy) const {
  const Storage &result = problem.storages[remedy.storage];
  if (result.life.empty())
    return false;
  for (StorageId id : tried) {
    const Storage &operand = problem.storages[id];
    if (id == remedy.storage || operand.life.empty() ||
        operand.bytes < result.bytes ||
        operand.life.back().end != result.life.front().begin + 1)
      continue;
    bool isKnown = std::any_of(
        problem.inPlace.begin(), problem.inPlace.end(), [&](auto &pair) {
          return pair.result == remedy.storage && pair.operand == id;
        });
    if (isKnown)
      continue;
    remedy.other = id;
    changed.inPlace.push_back({remedy.storage, id, kNone});
    return true;
  }
  return false;
}

bool RemedyFinder::fits(const MemoryProblem &changed, Remedy &remedy) const {
  SolveOptions options;
  options.fit = true;
  options.steps = kTrySteps;
  options.findRemedies = false;
  Result<MemorySolution> solution = planMemory(changed, options);
  if (!solution)
    return false;
  remedy.extent = solution->plan.extent;
  return remedy.kind != Remedy::TakePlace ||
         std::find(solution->plan.inPlace.begin(), solution->plan.inPlace.end(),
                   changed.inPlace.size() - 1) != solution->plan.inPlace.end();
}

//===----------------------------------------------------------------------===//
// The diagnostic
//===----------------------------------------------------------------------===//

static std::string bytesText(int64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

std::string plan::memory::remedyText(const MemoryProblem &problem,
                                     const Refusal &refusal,
                                     const Remedy &remedy) {
  std::string name = "'" + problem.storages[remedy.storage].name + "'";
  switch (remedy.kind) {
  case Remedy::RaiseLimit:
    return "raise the " + refusal.limit + " to " + bytesText(remedy.bytes);
  case Remedy::MoveAway:
    return "move " + name + " (" + bytesText(remedy.bytes) +
           ") to another memory";
  case Remedy::Shrink:
    return "shrink " + name + " by " + bytesText(remedy.bytes);
  case Remedy::Spill:
    return "keep " + name + " (" + bytesText(remedy.bytes) +
           ") elsewhere during step " +
           std::to_string(refusal.solution.report.peakStep);
  case Remedy::TakePlace:
    return "write " + name + " in place of '" +
           problem.storages[remedy.other].name + "'";
  case Remedy::Unpin:
    return "let " + name + " lie anywhere";
  }
  return "";
}

static std::string peakText(const MemoryProblem &problem,
                            const MemoryReport &report) {
  std::string text;
  for (size_t i = 0; i < std::min(kMostNamed, report.peakSet.size()); ++i) {
    const Storage &storage = problem.storages[report.peakSet[i]];
    text +=
        (i ? ", '" : "'") + storage.name + "' " + std::to_string(storage.bytes);
  }
  if (report.peakSet.size() > kMostNamed)
    text +=
        " and " + std::to_string(report.peakSet.size() - kMostNamed) + " more";
  return text;
}

/// The first limit that the plan breaks, and its rule.
static std::string findLimit(const Limits &limits, Refusal &refusal) {
  struct Known {
    const char *name, *rule;
    int64_t bytes;
  } known[] = {{"encodable", "MEM-10", limits.encodable},
               {"capacity", "MEM-11", limits.capacity},
               {"budget", "MEM-12", limits.budget}};
  for (const Known &limit : known)
    if (refusal.solution.report.extent > limit.bytes) {
      refusal.limit = limit.name;
      refusal.allowed = limit.bytes;
      return limit.rule;
    }
  return "";
}

static std::string limitsText(const Limits &limits) {
  std::string text;
  auto add = [&](const char *name, int64_t bytes) {
    if (bytes != kUnlimited)
      text +=
          (text.empty() ? "" : ", ") + (name + (" " + std::to_string(bytes)));
  };
  add("encodable", limits.encodable);
  add("capacity", limits.capacity);
  add("budget", limits.budget);
  return text;
}

Refusal plan::memory::refuse(const MemoryProblem &problem,
                             MemorySolution solution,
                             const SolveOptions &options) {
  Refusal refusal;
  refusal.solution = std::move(solution);
  const MemoryReport &report = refusal.solution.report;
  std::string rule = findLimit(problem.limits, refusal);
  refusal.missing = report.extent - refusal.allowed;
  refusal.isProven = report.lowerBound > refusal.allowed;
  if (options.findRemedies)
    refusal.remedies = RemedyFinder(problem, refusal).run();

  Diagnostic &failure = refusal.diagnostic;
  failure.kind = FailureKind::Unsupported;
  failure.rule = refusal.isProven ? rule : "MEM-13";
  failure.message =
      "the plan ends at " + std::to_string(report.extent) + ", " +
      bytesText(refusal.missing) + " beyond the " + refusal.limit + " (" +
      limitsText(problem.limits) + "); " +
      (refusal.isProven ? "no plan can end below "
                        : "a smaller plan was not found, though none is known "
                          "to be impossible above ") +
      std::to_string(report.lowerBound);
  std::string step = report.peakStep == kNone
                         ? ""
                         : " at step " + std::to_string(report.peakStep);
  failure.message += "; " + bytesText(report.livePeak) +
                     " are needed together" + step + ": " +
                     peakText(problem, report);
  for (const Remedy &remedy : refusal.remedies)
    failure.hint += (failure.hint.empty() ? "" : ", or ") +
                    remedyText(problem, refusal, remedy);
  return refusal;
}

Diagnostic plan::memory::noPlace() {
  Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "MEM-14";
  failure.message = "no plan was found that puts every storage into its bank, "
                    "beside what is fixed and reserved there";
  failure.hint = "make banks larger or let storages lie anywhere";
  return failure;
}
