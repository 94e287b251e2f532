//===- MemoryBench.cpp - how good and how fast memory plans are -----------===//
//
// TALLY_MEMORY_INSTANCES names a folder with tables of instances (Csv.h), such
// as the public sets that docs/performance.md names; NAME.N.csv is also asked
// to fit into N bytes. Without it only synthetic problems run: lives of a
// Pareto distribution. Every plan is judged. "ratio" is the extent over the
// lower bound; the classic one-pass planners stand beside the planner.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Bound.h"
#include "tally/plan/memory/Heuristics.h"
#include "tally/plan/memory/Solver.h"
#include "tally/plan/memory/Text.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

using namespace tally;
using namespace tally::plan::memory;

static MemoryProblem readFile(const std::string &path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  Result<MemoryProblem> problem = parseProblem(text, path);
  return problem ? std::move(*problem) : MemoryProblem();
}

static MemoryProblem synthetic(size_t count) {
  std::mt19937_64 random(7);
  MemoryProblem problem;
  for (size_t i = 0; i < count; ++i) {
    double share = double((random() >> 11) + 1) / double((1LL << 53) + 1);
    auto length = static_cast<int64_t>(2 / std::pow(share, 1 / 1.2));
    auto begin = static_cast<int64_t>(random() % count);
    Storage storage;
    storage.name = std::to_string(i);
    storage.bytes = int64_t(1 + random() % 64) * 64;
    storage.life = {
        {begin, begin + std::clamp<int64_t>(length, 1, int64_t(count) / 2)}};
    problem.storages.push_back(std::move(storage));
  }
  return problem;
}

static void planOne(benchmark::State &state, const MemoryProblem &problem,
                    const SolveOptions &options) {
  Result<MemorySolution> solution = planMemory(problem, options);
  for (auto _ : state)
    solution = planMemory(problem, options);
  if (!solution)
    return state.SkipWithError(solution.error().message.c_str());
  if (Violation violation = findViolation(problem, solution->plan))
    return state.SkipWithError(violation.message.c_str());
  const MemoryReport &report = solution->report;
  state.counters["ratio"] =
      double(report.extent) / double(std::max<int64_t>(report.lowerBound, 1));
  state.counters["steps"] = double(report.steps);
  state.counters["storages"] = double(problem.storages.size());
}

static void classic(benchmark::State &state, const MemoryProblem &problem,
                    Heuristic heuristic) {
  InPlaceChoice none;
  Result<Grouped> grouped = makeInstance(problem, none);
  if (!grouped)
    return state.SkipWithError(grouped.error().message.c_str());
  Packing packing;
  for (auto _ : state)
    packing = packClassic(grouped->instance, heuristic);
  MemoryPlan plan = makePlan(problem, *grouped, none, packing.addresses);
  if (Violation violation = findViolation(problem, plan))
    return state.SkipWithError(violation.message.c_str());
  state.counters["ratio"] =
      double(packing.top) /
      double(std::max<int64_t>(findBound(grouped->instance, 1000).top, 1));
}

static void judge(benchmark::State &state, const MemoryProblem &problem) {
  MemoryPlan plan = planMemory(problem)->plan;
  for (auto _ : state)
    if (findViolation(problem, plan))
      state.SkipWithError("the plan is wrong");
}

static void addFile(const std::filesystem::path &path) {
  auto problem = std::make_shared<MemoryProblem>(readFile(path.string()));
  std::string name = path.stem().string();
  size_t dot = name.rfind('.');
  if (dot != name.npos) {
    MemoryProblem limited = *problem;
    limited.limits.capacity = std::stoll(name.substr(dot + 1));
    SolveOptions options;
    options.fit = true;
    options.findRemedies = false;
    benchmark::RegisterBenchmark((name + "/fit").c_str(), [limited, options](
                                                              auto &state) {
      planOne(state, limited, options);
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark((name + "/smallest").c_str(), [problem](
                                                                 auto &state) {
    planOne(state, *problem, {});
  })->Unit(benchmark::kMillisecond);
  if (problem->storages.size() > 5000)
    return;
  for (Heuristic heuristic : kHeuristics)
    benchmark::RegisterBenchmark(
        (name + "/" + heuristicName(heuristic)).c_str(),
        [problem, heuristic](auto &state) {
          classic(state, *problem, heuristic);
        })
        ->Unit(benchmark::kMillisecond);
}

static void addSynthetic(size_t count) {
  std::string name = "synthetic/" + std::to_string(count);
  auto problem = std::make_shared<MemoryProblem>(synthetic(count));
  benchmark::RegisterBenchmark(name.c_str(), [problem](auto &state) {
    planOne(state, *problem, {});
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark((name + "/judge").c_str(), [problem](
                                                              auto &state) {
    judge(state, *problem);
  })->Unit(benchmark::kMillisecond);
}

int main(int argc, char **argv) {
  if (const char *folder = std::getenv("TALLY_MEMORY_INSTANCES")) {
    std::vector<std::filesystem::path> files;
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".csv")
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto &file : files)
      addFile(file);
  }
  for (size_t count : {1000, 10000, 100000, 1000000})
    addSynthetic(count);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
