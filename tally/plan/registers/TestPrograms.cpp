//===- TestPrograms.cpp - register problems for tests ---------------------===//

#include "tally/plan/registers/TestPrograms.h"

#include "tally/plan/registers/Solver.h"
#include "tally/plan/registers/Text.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace tally;
using namespace tally::plan::registers;

RegisterProblem tally::plan::registers::readProblem(const char *text) {
  Result<RegisterProblem> problem = parseProblem(text, "test");
  EXPECT_TRUE(problem) << (problem ? "" : problem.error().str());
  return problem ? std::move(*problem) : RegisterProblem();
}

RegisterSolution
tally::plan::registers::planAndJudge(const RegisterProblem &problem) {
  Result<RegisterSolution> solution = planRegisters(problem);
  EXPECT_TRUE(solution) << (solution ? "" : solution.error().str());
  if (!solution)
    return {};
  EXPECT_EQ(findViolation(problem, *solution), "");
  return std::move(*solution);
}

namespace {
/// Draws statements with the set of values that are written on every path, and
/// of (value, queue) that may be in flight.
class Generator {
public:
  Generator(unsigned seed, ProgramShape shape) : random(seed), shape(shape) {}
  RegisterProblem run();

private:
  struct State {
    std::set<ValueId> written;
    std::set<std::pair<ValueId, int64_t>> flights;
  };
  using Body = std::vector<StatementId>;

  size_t below(size_t count) { return random() % count; }
  bool chance(size_t percent) { return below(100) < percent; }
  StatementId add(Body &body, Statement statement);
  void fill(Body &body, State &state, size_t depth);
  void draw(Body &body, State &state, size_t depth);
  void operation(Body &body, State &state);
  void wait(Body &body, State &state, int64_t queue, int64_t pending);
  void land(Body &body, State &state, ValueId value);
  void landAll(Body &body, State &state);
  void loop(Body &body, State &state, size_t depth);
  void branch(Body &body, State &state, size_t depth);
  void reads(Statement &statement, State &state);

  std::mt19937 random;
  ProgramShape shape;
  RegisterProblem problem;
};
} // namespace

StatementId Generator::add(Body &body, Statement statement) {
  StatementId id = static_cast<StatementId>(problem.statements.size());
  statement.name = "s" + std::to_string(id);
  problem.statements.push_back(std::move(statement));
  body.push_back(id);
  return id;
}

void Generator::wait(Body &body, State &state, int64_t queue, int64_t pending) {
  Statement statement;
  statement.kind = StatementKind::Wait;
  statement.queue = queue;
  statement.pending = pending;
  add(body, std::move(statement));
  if (pending == 0)
    std::erase_if(state.flights,
                  [&](const auto &flight) { return flight.second == queue; });
}

void Generator::landAll(Body &body, State &state) {
  while (!state.flights.empty())
    wait(body, state, state.flights.begin()->second, 0);
}

void Generator::land(Body &body, State &state, ValueId value) {
  for (int64_t queue = 0; queue < 2; ++queue)
    if (state.flights.count({value, queue}))
      wait(body, state, queue, 0);
}

void Generator::reads(Statement &statement, State &state) {
  for (size_t count = below(3); count > 0 && !state.written.empty(); --count) {
    auto one = std::next(state.written.begin(), below(state.written.size()));
    bool late = statement.queue != kNone && chance(60);
    statement.uses.push_back({*one, late});
    if (late)
      state.flights.insert({*one, statement.queue});
  }
}

void Generator::operation(Body &body, State &state) {
  Statement statement;
  if (chance(25))
    statement.queue = static_cast<int64_t>(below(2));
  reads(statement, state);
  std::set<ValueId> written;
  for (size_t count = below(3); count > 0; --count) {
    ValueId value = static_cast<ValueId>(below(shape.values));
    bool readLate = false;
    for (const Use &use : statement.uses)
      readLate |= use.late && use.value == value;
    if (readLate || !written.insert(value).second)
      continue;
    land(body, state, value);
    statement.defs.push_back(value);
  }
  if (chance(10))
    statement.clobbers.push_back(static_cast<uint32_t>(below(4)));
  // A wait for a written value may have ended what this one just began.
  for (const Use &use : statement.uses)
    if (use.late)
      state.flights.insert({use.value, statement.queue});
  state.written.insert(written.begin(), written.end());
  add(body, std::move(statement));
}

void Generator::loop(Body &body, State &state, size_t depth) {
  Statement statement;
  statement.kind = StatementKind::Loop;
  int64_t trips[] = {1, kUnknownTrips, 0, 3};
  statement.trips = trips[below(shape.knownTrips ? 4 : 2)];
  if (chance(70)) {
    statement.counter = static_cast<int64_t>(problem.values.size());
    problem.values.push_back({"i" + std::to_string(problem.values.size())});
  }
  landAll(body, state);
  StatementId id = add(body, statement);
  if (statement.counter != kNone)
    state.written.insert(static_cast<ValueId>(statement.counter));
  State entry = state;
  Body inner;
  fill(inner, state, depth + 1);
  landAll(inner, state);
  problem.statements[id].body = std::move(inner);
  if (statement.maySkip())
    state = entry;
}

void Generator::branch(Body &body, State &state, size_t depth) {
  Statement statement;
  statement.kind = StatementKind::If;
  reads(statement, state);
  StatementId id = add(body, std::move(statement));
  State other = state;
  Body taken, otherwise;
  fill(taken, state, depth + 1);
  if (chance(60))
    fill(otherwise, other, depth + 1);
  problem.statements[id].body = std::move(taken);
  problem.statements[id].otherwise = std::move(otherwise);
  std::erase_if(state.written,
                [&](ValueId value) { return !other.written.count(value); });
  state.flights.insert(other.flights.begin(), other.flights.end());
}

void Generator::draw(Body &body, State &state, size_t depth) {
  size_t kind = below(100);
  if (kind < 70 || depth > 2)
    operation(body, state);
  else if (kind < 80)
    wait(body, state, static_cast<int64_t>(below(2)),
         static_cast<int64_t>(below(3)));
  else if (kind < 90)
    loop(body, state, depth);
  else
    branch(body, state, depth);
}

void Generator::fill(Body &body, State &state, size_t depth) {
  for (size_t count = 1 + below(shape.statements >> depth); count > 0; --count)
    draw(body, state, depth);
}

RegisterProblem Generator::run() {
  problem.queues = {"q0", "q1"};
  for (size_t value = 0; value < shape.values; ++value)
    problem.values.push_back({"v" + std::to_string(value)});
  State state;
  Body body;
  fill(body, state, 0);
  problem.body = std::move(body);
  problem.file.count = static_cast<int64_t>(problem.values.size()) + 8;
  return std::move(problem);
}

RegisterProblem tally::plan::registers::randomProgram(unsigned seed,
                                                      ProgramShape shape) {
  return Generator(seed, shape).run();
}
