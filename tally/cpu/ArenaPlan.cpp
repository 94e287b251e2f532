//===- ArenaPlan.cpp - where in the arena each storage lies ---------------===//

#include "tally/cpu/ArenaPlan.h"
#include "tally/plan/memory/Solver.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace tally;
using namespace tally::cpu;

/// Of the exact search, less than a second of them.
static constexpr uint64_t kPlanSteps = 100'000;

static std::string peakText(const std::vector<runtime::PeakTensor> &peak) {
  std::string text;
  for (size_t i = 0; i < peak.size() && i < 8; ++i)
    text += (i ? ", " : "") + ("'" + peak[i].name + "' ") +
            std::to_string(peak[i].bytes);
  if (peak.size() > 8)
    text += ", ...";
  return text;
}

static tally::Diagnostic wrongPlan(const std::string &why) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Internal;
  failure.rule = "CPU-PLAN";
  failure.message = "memory plan is wrong: " + why;
  return failure;
}

/// `problem` with a name of its own for each storage: several of a node's
/// scratch storages, and tensors without names, have the node's.
static plan::memory::MemoryProblem
withOwnNames(plan::memory::MemoryProblem problem) {
  llvm::StringMap<int64_t> uses;
  for (size_t i = 0; i < problem.storages.size(); ++i)
    if (std::string &name = problem.storages[i].name; uses[name]++)
      name += " #" + std::to_string(i);
  return problem;
}

static tally::Diagnostic overBudget(const ArenaPlan &arena, int64_t budget) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "CPU-BUDGET";
  failure.message = "the arena needs " + std::to_string(arena.plan.extent) +
                    " bytes, the budget is " + std::to_string(budget) +
                    "; alive at the peak (bytes): " + peakText(arena.peak);
  failure.hint = "raise --budget, or cut the graph with --outputs";
  return failure;
}

Result<ArenaPlan>
tally::cpu::planArena(const plan::memory::MemoryProblem &wanted,
                      std::optional<int64_t> budget) {
  plan::memory::MemoryProblem problem = withOwnNames(wanted);
  plan::memory::SolveOptions effort;
  effort.steps = kPlanSteps;
  auto solution = plan::memory::planMemory(problem, effort);
  if (!solution)
    return wrongPlan(solution.error().str());
  if (auto broken = plan::memory::findViolation(problem, solution->plan))
    return wrongPlan(broken.message);
  ArenaPlan arena;
  arena.plan = std::move(solution->plan);
  // Largest first, then in the order of the program.
  std::vector<plan::memory::StorageId> ids = solution->report.peakSet;
  llvm::sort(ids, [&](auto a, auto b) {
    int64_t first = problem.storages[a].bytes,
            second = problem.storages[b].bytes;
    return first != second ? first > second : a < b;
  });
  for (size_t id : ids)
    arena.peak.push_back({wanted.storages[id].name, wanted.storages[id].bytes});
  if (budget && arena.plan.extent > *budget)
    return overBudget(arena, *budget);
  return arena;
}
