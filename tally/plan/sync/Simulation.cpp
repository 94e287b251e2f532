//===- Simulation.cpp - when the operations of a plan would run -----------===//
//
// Time jumps from one completion to the next. In between everything that can
// happen does, in the order of queues, until nothing moves.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Simulation.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>

using namespace tally::plan::sync;

namespace {
/// A queue's operations that have been issued and are not complete.
struct Line {
  std::deque<Op> waiting; ///< not started
  int64_t running = 0;
};

class Machine {
public:
  Machine(const SyncProblem &problem, const SyncPlan &plan)
      : problem(problem), plan(plan), lines(problem.queues.size()),
        registers(plan.registers.size(), 0), firstSignal(firstOf(plan.signals)),
        firstWait(firstOf(plan.waits)), firstClear(firstOf(plan.clears)),
        nextWait(firstWait) {
    schedule.start.resize(problem.operations.size());
    schedule.end.resize(problem.operations.size());
  }

  Schedule run() {
    for (;;) {
      for (bool moved = true; moved;) {
        moved = issue();
        moved |= startAll();
      }
      if (completions.empty())
        return std::move(schedule);
      schedule.makespan = completions.top().first;
      while (!completions.empty() &&
             completions.top().first == schedule.makespan)
        completeNext();
    }
  }

private:
  using Completion = std::pair<int64_t, Op>;

  /// Position of the first command of each operation, and an end.
  template <typename Command>
  std::vector<uint32_t> firstOf(const std::vector<Command> &commands) const {
    std::vector<uint32_t> first(problem.operations.size() + 1, 0);
    for (const Command &command : commands)
      ++first[command.op + 1];
    for (size_t op = 1; op < first.size(); ++op)
      first[op] += first[op - 1];
    return first;
  }

  bool issue() {
    bool moved = false;
    for (; issued < problem.operations.size(); ++issued, moved = true) {
      if (drain < plan.drains.size() && plan.drains[drain] == issued) {
        if (completed < issued)
          return moved;
        std::fill(registers.begin(), registers.end(), 0);
        ++drain;
      }
      uint32_t queue = problem.operations[issued].queue;
      Line &line = lines[queue];
      if (static_cast<int64_t>(line.waiting.size()) + line.running >=
          problem.queues[queue].depth)
        return moved;
      line.waiting.push_back(issued);
    }
    return moved;
  }

  bool startAll() {
    bool moved = false;
    for (uint32_t queue = 0; queue < lines.size(); ++queue) {
      Line &line = lines[queue];
      while (!line.waiting.empty() &&
             (line.running == 0 || !problem.queues[queue].inOrder) &&
             passes(line.waiting.front())) {
        start(line.waiting.front());
        line.waiting.pop_front();
        ++line.running;
        moved = true;
      }
    }
    return moved;
  }

  /// Whether all waits have passed; tokens are taken as they come.
  bool passes(Op op) {
    for (uint32_t &at = nextWait[op]; at < firstWait[op + 1]; ++at) {
      const Wait &wait = plan.waits[at];
      if (registers[wait.reg] < wait.value)
        return false;
      if (problem.file.kind == FileKind::Token)
        --registers[wait.reg];
    }
    return true;
  }

  void start(Op op) {
    for (uint32_t i = firstClear[op]; i < firstClear[op + 1]; ++i)
      registers[plan.clears[i].reg] = 0;
    schedule.start[op] = schedule.makespan;
    schedule.end[op] = schedule.makespan + problem.operations[op].duration;
    completions.push({schedule.end[op], op});
  }

  void completeNext() {
    Op op = completions.top().second;
    completions.pop();
    for (uint32_t i = firstSignal[op]; i < firstSignal[op + 1]; ++i) {
      int64_t &value = registers[plan.signals[i].reg];
      value = problem.file.kind == FileKind::Flag ? 1 : value + 1;
    }
    --lines[problem.operations[op].queue].running;
    ++completed;
  }

  const SyncProblem &problem;
  const SyncPlan &plan;
  std::vector<Line> lines;
  std::vector<int64_t> registers;
  std::vector<uint32_t> firstSignal, firstWait, firstClear, nextWait;
  Op issued = 0, completed = 0;
  size_t drain = 0;
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>>
      completions;
  Schedule schedule;
};
} // namespace

Schedule tally::plan::sync::simulate(const SyncProblem &problem,
                                     const SyncPlan &plan) {
  return Machine(problem, plan).run();
}
