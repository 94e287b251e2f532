//===- ProgramValidator.cpp - the laws of a plan with loops and ifs -------===//
//
// Every execution that choicesOf names is judged as a straight line. What that
// cannot show is what grows with the number of trips:
//
//   - what registers hold from trip to trip: BALANCE;
//   - a counter that is waited for relatively: it grows by design, so all its
//     signals in all trips have to fit;
//   - tokens whose producer runs ahead. In issue order a register holds no more
//     than it does in the executions, by BALANCE; and what has been issued to a
//     queue but not taken is within the queue's depth. If both together fit,
//     or two more trips let no token hold more, it fits in any number of trips.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Execution.h"

#include <algorithm>
#include <map>
#include <set>

using namespace tally;
using namespace tally::plan::sync;

namespace {
class ProgramJudge {
public:
  ProgramJudge(const SyncProblem &problem, const SyncPlan &plan)
      : problem(problem), plan(plan),
        commands(problem.operations.size() + plan.gates.size()) {}

  Violation judge() const;

private:
  template <typename Command>
  Violation checkList(const std::vector<Command> &list, const char *what) const;
  Violation checkForm() const;
  Violation checkGates() const;
  Violation checkRelative() const;
  Violation checkGrowth(const Execution &execution) const;
  Violation checkTokens(const Choice &choice, const Execution &execution) const;
  bool isInIf(Op id) const;
  int64_t mostRuns(Op id) const;
  uint32_t queueOf(Op id) const {
    size_t count = problem.operations.size();
    return id < count ? problem.operations[id].queue
                      : plan.gates[id - count].queue;
  }

  const SyncProblem &problem;
  const SyncPlan &plan;
  size_t commands;
};
} // namespace

template <typename Command>
Violation ProgramJudge::checkList(const std::vector<Command> &list,
                                  const char *what) const {
  Op last = 0;
  for (const Command &command : list) {
    if (command.op >= commands || command.reg >= plan.registers.size())
      return {"FORM", std::string(what) + " of command " +
                          std::to_string(command.op) + " on register " +
                          std::to_string(command.reg) +
                          " of the plan: there is none"};
    if (command.op < last)
      return {"FORM", std::string(what) + " out of order"};
    last = command.op;
  }
  return {};
}

bool ProgramJudge::isInIf(Op id) const {
  size_t count = problem.operations.size();
  return std::any_of(
      problem.regions.begin(), problem.regions.end(), [&](const Region &one) {
        if (one.kind != Region::If)
          return false;
        if (id < count)
          return one.first <= id && id < one.end;
        const Region &loop = problem.regions[plan.gates[id - count].region];
        return one.first <= loop.first && loop.end <= one.end;
      });
}

Violation ProgramJudge::checkGates() const {
  for (const Gate &gate : plan.gates)
    if (gate.region >= problem.regions.size() ||
        problem.regions[gate.region].kind != Region::Loop ||
        gate.queue >= problem.queues.size())
      return {"FORM", "a gate of no loop or no queue"};
  for (Op id : plan.drains)
    if (id >= commands)
      return {"FORM", "a drain before no command"};
  for (Op id : plan.compensated)
    if (id >= commands || !isInIf(id))
      return {"FORM", "command " + std::to_string(id) +
                          " is compensated, but in no if"};
  return {};
}

Violation ProgramJudge::checkForm() const {
  if (Status status = checkProblem(problem); !status)
    return {"FORM", status.error().message};
  if (Violation found = checkGates())
    return found;
  if (Violation found = checkList(plan.signals, "a signal"))
    return found;
  if (Violation found = checkList(plan.waits, "a wait"))
    return found;
  if (Violation found = checkList(plan.clears, "a clear"))
    return found;
  for (const Wait &wait : plan.waits)
    if (wait.isRelative &&
        (!problem.file.relative || problem.file.kind != FileKind::Counter ||
         wait.value < 0))
      return {"FORM", "a relative wait that the file does not have"};
  return {};
}

/// Times that a command can run; -1 when there is no limit. A gate runs with
/// what its loop stands in.
int64_t ProgramJudge::mostRuns(Op id) const {
  size_t count = problem.operations.size();
  uint32_t own = id < count ? UINT32_MAX : plan.gates[id - count].region;
  Op op = id < count ? id : problem.regions[own].first;
  int64_t runs = 1;
  for (uint32_t i = 0; i < problem.regions.size(); ++i) {
    const Region &region = problem.regions[i];
    if (region.kind != Region::Loop || op < region.first || op >= region.end)
      continue;
    if (i == own)
      break; // those that follow lie inside
    if (region.trips == Region::kAnyTrips ||
        __builtin_mul_overflow(runs, region.trips, &runs))
      return -1;
  }
  return runs;
}

Violation ProgramJudge::checkRelative() const {
  std::set<uint32_t> relative;
  for (const Wait &wait : plan.waits)
    if (wait.isRelative)
      relative.insert(wait.reg);
  std::map<uint32_t, int64_t> counted;
  for (const Signal &signal : plan.signals) {
    if (!relative.count(signal.reg))
      continue;
    int64_t runs = mostRuns(signal.op);
    int64_t &sum = counted[signal.reg];
    if (runs < 0 || __builtin_add_overflow(sum, runs, &sum) ||
        sum > problem.file.maxValue())
      return {"WIDTH", "register " +
                           std::to_string(plan.registers[signal.reg].number) +
                           " may count beyond " +
                           std::to_string(problem.file.maxValue()) +
                           " in all trips together"};
  }
  return {};
}

/// By the depths of queues: what a register can hold in any number of trips.
Violation ProgramJudge::checkGrowth(const Execution &execution) const {
  std::map<std::pair<uint32_t, Op>, int64_t> takesOf;
  for (const Wait &wait : plan.waits)
    ++takesOf[{wait.reg, wait.op}];
  std::map<std::pair<uint32_t, uint32_t>, int64_t> mostOf; // of one command
  for (auto [key, takes] : takesOf) {
    int64_t &most = mostOf[{key.first, queueOf(key.second)}];
    most = std::max(most, takes);
  }
  std::vector<int64_t> held = execution.most;
  for (auto [key, takes] : mostOf)
    held[key.first] += takes * problem.queues[key.second].depth;
  for (uint32_t reg = 0; reg < held.size(); ++reg)
    if (held[reg] > problem.file.maxValue())
      return {"WIDTH", "register " +
                           std::to_string(plan.registers[reg].number) +
                           " holds more from trip to trip"};
  return {};
}

Violation ProgramJudge::checkTokens(const Choice &choice,
                                    const Execution &execution) const {
  Violation grows = checkGrowth(execution);
  if (!grows)
    return {};
  Choice more = choice;
  for (size_t i = 0; i < problem.regions.size(); ++i) {
    const Region &region = problem.regions[i];
    if (region.kind != Region::Loop || choice.of[i] <= 2)
      continue;
    more.of[i] += 2;
    if (region.trips != Region::kAnyTrips && more.of[i] > region.trips)
      more.of[i] = static_cast<uint32_t>(region.trips);
  }
  Execution longer = execute(problem, plan, more);
  return mostHeld(longer.problem, longer.plan) >
                 mostHeld(execution.problem, execution.plan)
             ? grows
             : Violation();
}

Violation ProgramJudge::judge() const {
  for (auto check : {&ProgramJudge::checkForm, &ProgramJudge::checkRelative})
    if (Violation found = (this->*check)())
      return found;
  for (const Choice &choice : choicesOf(problem)) {
    Execution execution = execute(problem, plan, choice);
    Violation found = execution.imbalance;
    if (!found)
      found = judgeStraightLine(execution.problem, execution.plan);
    if (!found && problem.file.kind == FileKind::Token)
      found = checkTokens(choice, execution);
    if (!found)
      continue;
    if (std::string text = choice.text(problem); !text.empty())
      found.message = "with " + text + ": " + found.message;
    return found;
  }
  return {};
}

Violation tally::plan::sync::findViolation(const SyncProblem &problem,
                                           const SyncPlan &plan) {
  bool isRelative =
      std::any_of(plan.waits.begin(), plan.waits.end(),
                  [](const Wait &wait) { return wait.isRelative; });
  if (problem.regions.empty() && plan.gates.empty() &&
      plan.compensated.empty() && !isRelative)
    return judgeStraightLine(problem, plan);
  return ProgramJudge(problem, plan).judge();
}
