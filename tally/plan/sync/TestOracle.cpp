//===- TestOracle.cpp - every execution of a small plan -------------------===//
//
// Issuing early allows whatever issuing late does, so it is done at once; the
// rest is a search through states, each visited once.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/TestOracle.h"

#include <algorithm>
#include <unordered_set>

using namespace tally::plan::sync;

namespace {
enum Phase : char { Waiting, Running, Done };

/// All of an execution at one moment, as bytes: phases, waits passed,
/// registers, operations issued.
struct State {
  std::string phase, passed, registers;
  char issued = 0;
  std::string key() const { return phase + passed + registers + issued; }
};

class Oracle {
public:
  Oracle(const SyncProblem &problem, const SyncPlan &plan)
      : problem(problem), plan(plan), count(problem.operations.size()) {}

  std::string explore() {
    State first{std::string(count, Waiting), std::string(plan.waits.size(), 0),
                std::string(plan.registers.size(), 0), 0};
    push(std::move(first));
    while (!open.empty() && fault.empty()) {
      State state = std::move(open.back());
      open.pop_back();
      step(state);
    }
    return fault;
  }

private:
  void push(State state) {
    issue(state);
    if (seen.insert(state.key()).second)
      open.push_back(std::move(state));
  }

  void issue(State &state) const {
    for (; static_cast<size_t>(state.issued) < count; ++state.issued) {
      Op op = static_cast<Op>(state.issued);
      if (std::count(plan.drains.begin(), plan.drains.end(), op)) {
        if (std::count(state.phase.begin(), state.phase.end(), Done) < op)
          return;
        std::fill(state.registers.begin(), state.registers.end(), 0);
      }
      int64_t held = 0;
      for (Op other = 0; other < op; ++other)
        held += isSameQueue(op, other) && state.phase[other] != Done;
      if (held >= problem.queues[problem.operations[op].queue].depth)
        return;
    }
  }

  bool isSameQueue(Op a, Op b) const {
    return problem.operations[a].queue == problem.operations[b].queue;
  }

  bool hasArrived(const State &state, Op op) const {
    if (op >= static_cast<Op>(state.issued) || state.phase[op] != Waiting)
      return false;
    bool inOrder = problem.queues[problem.operations[op].queue].inOrder;
    for (Op other = op; other-- > 0;)
      if (isSameQueue(op, other))
        return inOrder ? state.phase[other] == Done
                       : state.phase[other] != Waiting;
    return true;
  }

  void step(const State &state) {
    bool moved = false;
    for (Op op = 0; op < count && fault.empty(); ++op) {
      if (state.phase[op] == Running)
        moved = complete(state, op);
      else if (hasArrived(state, op))
        moved |= advance(state, op);
    }
    if (moved || !fault.empty())
      return;
    if (std::count(state.phase.begin(), state.phase.end(), Done) !=
        static_cast<int64_t>(count))
      fault = "hang";
    else
      checkEnd(state);
  }

  bool advance(const State &state, Op op) {
    bool moved = false, passedAll = true;
    for (size_t i = 0; i < plan.waits.size(); ++i) {
      const Wait &wait = plan.waits[i];
      if (wait.op != op || state.passed[i])
        continue;
      passedAll = false;
      if (state.registers[wait.reg] < wait.value)
        continue;
      State next = state;
      next.passed[i] = 1;
      if (problem.file.kind == FileKind::Token)
        --next.registers[wait.reg];
      push(std::move(next));
      moved = true;
    }
    return passedAll ? start(state, op) : moved;
  }

  bool start(State state, Op op) {
    for (const Dependency &dependency : problem.dependencies) {
      if (dependency.to != op || dependency.from == op)
        continue;
      char phase = state.phase[dependency.from];
      if (phase == Waiting ||
          (phase == Running && dependency.strength == Strength::Completed))
        fault = "race";
    }
    for (const Clear &clear : plan.clears)
      if (clear.op == op)
        state.registers[clear.reg] = 0;
    state.phase[op] = Running;
    push(std::move(state));
    return true;
  }

  bool complete(State state, Op op) {
    for (const Signal &signal : plan.signals) {
      if (signal.op != op)
        continue;
      char &value = state.registers[signal.reg];
      if (problem.file.kind == FileKind::Flag)
        value = 1;
      else if (++value > problem.file.maxValue())
        fault = "lost";
    }
    state.phase[op] = Done;
    push(std::move(state));
    return true;
  }

  void checkEnd(const State &state) {
    for (size_t reg = 0; reg < plan.registers.size(); ++reg)
      if (state.registers[reg] &&
          !std::count(plan.finalClears.begin(), plan.finalClears.end(), reg))
        fault = "residue";
  }

  const SyncProblem &problem;
  const SyncPlan &plan;
  size_t count;
  std::vector<State> open;
  std::unordered_set<std::string> seen;
  std::string fault;
};
} // namespace

std::string tally::plan::sync::exploreAll(const SyncProblem &problem,
                                          const SyncPlan &plan) {
  return Oracle(problem, plan).explore();
}
