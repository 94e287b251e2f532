//===- SyncBench.cpp - how fast signals and waits are planned -------------===//
//
// A tiled network on 8 queues: for each tile two loads, one to three matrix
// operations on two engines, a vector operation, and a store; buffers are used
// again four tiles later. One core. The judge is timed beside the planner, and
// loops whose body is such a network. `solveMB` is the memory that one call
// adds at its peak to what stood there before.
//
// scripts/sync-growth.py makes the figures and the picture in docs/.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Solver.h"

#include <benchmark/benchmark.h>

#include <malloc.h>

#include <fstream>
#include <random>
#include <string>

using namespace tally::plan::sync;

namespace {
/// Lays tiles one after the other; keeps the last operation of each role.
class Pipeline {
public:
  explicit Pipeline(size_t operations) : random(7) {
    problem.file.count = 8;
    for (const char *name : {"W", "L", "L2", "M", "M2", "V", "V2", "S"})
      problem.queues.push_back({name, 16, true});
    while (problem.operations.size() < operations)
      tile();
  }

  SyncProblem problem;

private:
  static constexpr size_t kBuffers = 4;

  Op add(uint32_t queue, std::initializer_list<Op> after) {
    auto op = static_cast<Op>(problem.operations.size());
    problem.operations.push_back({"", queue, 1 + int64_t(random() % 9)});
    for (Op from : after)
      problem.dependencies.push_back({from, op});
    return op;
  }

  void tile() {
    bool odd = random() % 2;
    size_t slot = tiles++ % kBuffers;
    bool isReused = tiles > kBuffers;
    Op weight = isReused ? add(0, {readWeight[slot]}) : add(0, {});
    Op input = isReused ? add(1 + odd, {readWeight[slot]}) : add(1 + odd, {});
    Op matrix = add(3 + odd, {weight, input});
    for (uint32_t more = random() % 3; more > 0; --more)
      matrix = add(3 + odd, {weight, input, matrix});
    readWeight[slot] = matrix;
    Op vector = isReused ? add(5 + odd, {matrix, input, stored[slot]})
                         : add(5 + odd, {matrix, input});
    stored[slot] = add(7, {vector});
  }

  std::mt19937 random;
  size_t tiles = 0;
  Op readWeight[kBuffers] = {}, stored[kBuffers] = {};
};
} // namespace

/// A field of /proc/self/status, in MB.
static double statusMB(const std::string &field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field + ":"))
      return std::stod(line.substr(field.size() + 1)) / 1024;
  return 0;
}

/// Memory that solving adds at its peak; free memory is given back and the
/// kernel forgets older peaks first.
static double solveMB(const SyncProblem &problem) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5" << std::flush;
  double before = statusMB("VmRSS");
  benchmark::DoNotOptimize(solve(problem));
  return statusMB("VmHWM") - before;
}

static void planProblem(benchmark::State &state, const SyncProblem &problem) {
  double memory = solveMB(problem);
  tally::Result<SyncSolution> solution = solve(problem);
  for (auto _ : state)
    solution = solve(problem);
  if (!solution) {
    state.SkipWithError(solution.error().str().c_str());
    return;
  }
  if (Violation violation = findViolation(problem, solution->plan))
    state.SkipWithError(violation.message.c_str());
  state.counters["edges"] = double(solution->report.edges);
  state.counters["needed"] = double(solution->report.needed);
  state.counters["lower"] = double(solution->report.lowerBound);
  state.counters["solveMB"] = memory;
}

static void plan(benchmark::State &state, FileKind kind, int64_t registers) {
  Pipeline pipeline(state.range(0));
  pipeline.problem.file.kind = kind;
  pipeline.problem.file.count = registers;
  planProblem(state, pipeline.problem);
}

/// The network as the body of a loop of up to 100 trips, the next of which
/// loads while the one before stores.
static void planLoop(benchmark::State &state, FileKind kind) {
  SyncProblem problem = Pipeline(state.range(0)).problem;
  auto end = static_cast<Op>(problem.operations.size());
  problem.regions = {{Region::Loop, "images", 0, end, 0, 100}};
  problem.dependencies.push_back({end - 1, 0, Strength::Completed, 1});
  problem.file.kind = kind;
  problem.file.count = 64;
  problem.file.relative = true;
  planProblem(state, problem);
}

static void counters(benchmark::State &state) {
  plan(state, FileKind::Counter, 8);
}
static void threeCounters(benchmark::State &state) {
  plan(state, FileKind::Counter, 3);
}
static void tokens(benchmark::State &state) {
  plan(state, FileKind::Token, 64);
}
static void flags(benchmark::State &state) {
  plan(state, FileKind::Flag, 65536);
}

static void creditedLoop(benchmark::State &state) {
  planLoop(state, FileKind::Token);
}
static void relativeLoop(benchmark::State &state) {
  planLoop(state, FileKind::Counter);
}

static void judge(benchmark::State &state) {
  Pipeline pipeline(state.range(0));
  SyncPlan plan = solve(pipeline.problem)->plan;
  for (auto _ : state)
    if (findViolation(pipeline.problem, plan))
      state.SkipWithError("the plan is wrong");
}

static void sizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->Unit(benchmark::kMillisecond)
      ->Arg(2000)
      ->Arg(20000)
      ->Arg(200000)
      ->Arg(1000000);
}
BENCHMARK(counters)->Apply(sizes);
BENCHMARK(threeCounters)->Apply(sizes);
BENCHMARK(tokens)->Apply(sizes);
BENCHMARK(flags)->Apply(sizes);
BENCHMARK(judge)->Apply(sizes);

static void loopSizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->Arg(200)->Arg(2000)->Arg(20000);
}
BENCHMARK(creditedLoop)->Apply(loopSizes);
BENCHMARK(relativeLoop)->Apply(loopSizes);
