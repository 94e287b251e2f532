//===- RegistersBench.cpp - how fast registers are planned ----------------===//
//
// Routines as an emitter of command streams records them: loops up to three
// deep over commands on two queues, each with addresses made by a few scalar
// operations and read late, and a wait before a buffer is used again. One core.
// The judge is timed beside the planner.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/registers/Solver.h"

#include <benchmark/benchmark.h>

#include <random>

using namespace tally::plan::registers;

namespace {
/// Lays statements one after the other; names are numbers.
class Routine {
public:
  Routine(size_t statements, unsigned seed) : random(seed) {
    problem.queues = {"dma", "matrix"};
    problem.file.count = 8;
    while (problem.statements.size() < statements)
      loop(problem.body, 0);
  }

  RegisterProblem problem;

private:
  using Body = std::vector<StatementId>;

  StatementId add(Body &body, Statement statement) {
    StatementId id = static_cast<StatementId>(problem.statements.size());
    statement.name = std::to_string(id);
    problem.statements.push_back(std::move(statement));
    body.push_back(id);
    return id;
  }

  ValueId value() {
    ValueId id = static_cast<ValueId>(problem.values.size());
    problem.values.push_back({std::to_string(id)});
    return id;
  }

  /// base = ...; address = base + i; command(address) on a queue.
  void command(Body &body, ValueId counter) {
    ValueId base = value(), address = value();
    Statement load, offset, issue;
    load.defs = {base};
    offset.uses = {{base}, {counter}};
    offset.defs = {address};
    issue.queue = static_cast<int64_t>(random() % 2);
    issue.uses = {{address, true}};
    add(body, load);
    add(body, offset);
    add(body, issue);
  }

  void wait(Body &body, int64_t queue) {
    Statement statement;
    statement.kind = StatementKind::Wait;
    statement.queue = queue;
    add(body, statement);
  }

  void loop(Body &body, size_t depth) {
    Statement statement;
    statement.kind = StatementKind::Loop;
    statement.trips = 1 + static_cast<int64_t>(random() % 8);
    ValueId counter = value();
    statement.counter = counter;
    StatementId id = add(body, statement);
    Body inner;
    for (size_t commands = 1 + random() % 3; commands > 0; --commands)
      command(inner, counter);
    wait(inner, 0);
    wait(inner, 1);
    if (depth < 2 && random() % 2)
      loop(inner, depth + 1);
    problem.statements[id].body = std::move(inner);
  }

  std::mt19937 random;
};
} // namespace

static void plan(benchmark::State &state) {
  RegisterProblem problem =
      Routine(static_cast<size_t>(state.range(0)), 11).problem;
  tally::Result<RegisterSolution> solution = planRegisters(problem);
  for (auto _ : state)
    solution = planRegisters(problem);
  if (!solution)
    return state.SkipWithError(solution.error().str().c_str());
  if (std::string fault = findViolation(problem, *solution); !fault.empty())
    return state.SkipWithError(fault.c_str());
  state.counters["values"] = static_cast<double>(problem.values.size());
  state.SetComplexityN(state.range(0));
}

static void judge(benchmark::State &state) {
  RegisterProblem problem =
      Routine(static_cast<size_t>(state.range(0)), 11).problem;
  RegisterSolution solution = *planRegisters(problem);
  for (auto _ : state)
    if (!findViolation(problem, solution).empty())
      state.SkipWithError("the plan is wrong");
  state.SetComplexityN(state.range(0));
}

/// Three values in each of n loops that no choice of two registers places.
static void moves(benchmark::State &state) {
  RegisterProblem problem;
  problem.file.count = 2;
  auto add = [&](std::vector<StatementId> &body, std::vector<Use> uses,
                 std::vector<ValueId> defs) {
    StatementId id = static_cast<StatementId>(problem.statements.size());
    Statement statement;
    statement.name = std::to_string(id);
    statement.uses = std::move(uses);
    statement.defs = std::move(defs);
    problem.statements.push_back(statement);
    body.push_back(id);
    return id;
  };
  for (int64_t at = 0; at < state.range(0); ++at) {
    ValueId a = static_cast<ValueId>(3 * at), b = a + 1, c = a + 2;
    for (ValueId value : {a, b, c})
      problem.values.push_back({std::to_string(value)});
    add(problem.body, {}, {a});
    add(problem.body, {}, {b});
    StatementId loop = add(problem.body, {}, {});
    std::vector<StatementId> body;
    add(body, {{a}}, {c});
    add(body, {{b}}, {a});
    add(body, {{c}}, {});
    add(body, {}, {b});
    problem.statements[loop].kind = StatementKind::Loop;
    problem.statements[loop].body = std::move(body);
    add(problem.body, {{a}, {b}}, {});
  }
  tally::Result<RegisterSolution> solution = planRegisters(problem);
  for (auto _ : state)
    solution = planRegisters(problem);
  if (!solution)
    return state.SkipWithError(solution.error().str().c_str());
  state.counters["parts"] = static_cast<double>(solution->parts.size());
  state.SetComplexityN(state.range(0));
}

static void sizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->Unit(benchmark::kMillisecond)
      ->Arg(100)
      ->Arg(400)
      ->Arg(1600)
      ->Arg(6400)
      ->Arg(25600)
      ->Complexity();
}
BENCHMARK(plan)->Apply(sizes);
BENCHMARK(judge)->Apply(sizes);
BENCHMARK(moves)->Unit(benchmark::kMillisecond)->Arg(1)->Arg(4)->Arg(16);
