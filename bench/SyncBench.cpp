//===- SyncBench.cpp - how fast signals and waits are planned -------------===//
//
// A tiled network on 8 queues: for each tile two loads, one to three matrix
// operations on two engines, a vector operation, and a store; buffers are used
// again four tiles later. One core. The judge is timed beside the planner.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Solver.h"

#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <random>

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

static void plan(benchmark::State &state, FileKind kind, int64_t registers) {
  Pipeline pipeline(state.range(0));
  pipeline.problem.file.kind = kind;
  pipeline.problem.file.count = registers;
  tally::Result<SyncSolution> solution = solve(pipeline.problem);
  for (auto _ : state)
    solution = solve(pipeline.problem);
  if (!solution) {
    state.SkipWithError(solution.error().str().c_str());
    return;
  }
  if (Violation violation = findViolation(pipeline.problem, solution->plan))
    state.SkipWithError(violation.message.c_str());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["edges"] = double(solution->report.edges);
  state.counters["needed"] = double(solution->report.needed);
  state.counters["lower"] = double(solution->report.lowerBound);
  state.counters["peakMB"] = double(usage.ru_maxrss) / 1024;
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
