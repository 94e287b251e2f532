//===- Execution.cpp - one run of a program as a straight line ------------===//
//
// A walk through the code as the command processor takes it. Every time that
// an operation is reached it becomes one of the straight line, with the waits
// and signals of the code; a dependency becomes one on each time that its
// other end has run in the trip that it means.
//
//   loop twice { a; b after a of the trip before }: a[0] b[0] a[1] b[1], and
//   b[1] depends on a[0].
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Execution.h"

#include <algorithm>

using namespace tally::plan::sync;

namespace {
constexpr uint32_t kTop = UINT32_MAX;

/// Where a run stands in a loop: `execution` is different each time that the
/// loop is reached.
struct Trip {
  uint32_t execution, number;
};

/// One time that an operation ran, with its place in every loop around it.
struct Instance {
  Op op;
  std::vector<Trip> trips;
};

/// The commands of one operation or gate.
struct Commands {
  std::vector<Signal> signals;
  std::vector<Wait> waits;
  std::vector<Clear> clears;
  bool isDrained = false, isCompensated = false;
};

class Walk {
public:
  Walk(const SyncProblem &problem, const SyncPlan &plan, const Choice &choice);

  Execution run() {
    block(0, static_cast<Op>(problem.operations.size()), kTop);
    return std::move(result);
  }

private:
  std::vector<uint32_t> inside(uint32_t parent, Op begin, Op end) const;
  void block(Op begin, Op end, uint32_t parent);
  void skip(Op begin, Op end, uint32_t parent);
  void enter(uint32_t region);
  void leaveOut(uint32_t region);
  void loop(uint32_t region);
  void gates(uint32_t region, bool isAfter, bool isSkipped);
  bool takesThen(uint32_t region);
  void emit(Op id, bool isSkipped);
  void emitCommands(Op op, const Commands &commands);
  void emitDependencies(Op id, Op op);
  std::string nameOf(Op id, bool isSkipped) const;
  uint32_t queueOf(Op id) const;
  void checkBalance(uint32_t region, const std::vector<int64_t> &before);

  const SyncProblem &problem;
  const SyncPlan &plan;
  const Choice &choice;
  std::vector<uint32_t> parentOf, timesReached;
  std::vector<Commands> commands;
  std::vector<std::vector<Dependency>> dependenciesOf;
  std::vector<std::vector<Instance>> instances;
  std::vector<Trip> trips;
  uint32_t executions = 0;
  std::vector<int64_t> signalled, held; ///< of each register
  std::vector<bool> isRelative;
  Execution result;
};
} // namespace

static bool contains(const Region &outer, const Region &inner) {
  return outer.first <= inner.first && inner.end <= outer.end;
}

Walk::Walk(const SyncProblem &problem, const SyncPlan &plan,
           const Choice &choice)
    : problem(problem), plan(plan), choice(choice),
      parentOf(problem.regions.size(), kTop),
      timesReached(problem.regions.size(), 0),
      commands(problem.operations.size() + plan.gates.size()),
      dependenciesOf(problem.operations.size()),
      instances(problem.operations.size()), signalled(plan.registers.size(), 0),
      held(plan.registers.size(), 0), isRelative(plan.registers.size(), false) {
  for (uint32_t i = 0; i < problem.regions.size(); ++i)
    for (uint32_t j = 0; j < i; ++j)
      if (contains(problem.regions[j], problem.regions[i]))
        parentOf[i] = j;
  for (const Signal &signal : plan.signals)
    commands[signal.op].signals.push_back(signal);
  for (const Wait &wait : plan.waits) {
    commands[wait.op].waits.push_back(wait);
    if (wait.isRelative)
      isRelative[wait.reg] = true;
  }
  for (const Clear &clear : plan.clears)
    commands[clear.op].clears.push_back(clear);
  for (Op id : plan.drains)
    commands[id].isDrained = true;
  for (Op id : plan.compensated)
    commands[id].isCompensated = true;
  for (const Dependency &dependency : problem.dependencies)
    dependenciesOf[dependency.to].push_back(dependency);
  result.problem.queues = problem.queues;
  result.problem.file = problem.file;
  result.plan.registers = plan.registers;
  result.plan.finalClears = plan.finalClears;
  result.most.assign(plan.registers.size(), 0);
}

/// Regions right inside `parent`, within [begin, end), in issue order. One
/// without operations never matters.
std::vector<uint32_t> Walk::inside(uint32_t parent, Op begin, Op end) const {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < problem.regions.size(); ++i) {
    const Region &region = problem.regions[i];
    if (parentOf[i] == parent && region.first < region.end &&
        begin <= region.first && region.end <= end)
      found.push_back(i);
  }
  std::sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) {
    return problem.regions[a].first < problem.regions[b].first;
  });
  return found;
}

void Walk::block(Op begin, Op end, uint32_t parent) {
  for (uint32_t region : inside(parent, begin, end)) {
    for (; begin < problem.regions[region].first; ++begin)
      emit(begin, false);
    enter(region);
    begin = problem.regions[region].end;
  }
  for (; begin < end; ++begin)
    emit(begin, false);
}

/// A branch that does not run.
void Walk::skip(Op begin, Op end, uint32_t parent) {
  for (uint32_t region : inside(parent, begin, end)) {
    for (; begin < problem.regions[region].first; ++begin)
      emit(begin, true);
    leaveOut(region);
    begin = problem.regions[region].end;
  }
  for (; begin < end; ++begin)
    emit(begin, true);
}

bool Walk::takesThen(uint32_t region) {
  bool isOdd = timesReached[region]++ % 2;
  switch (choice.of[region]) {
  case Choice::Then:
    return true;
  case Choice::Else:
    return false;
  case Choice::ThenElse:
    return !isOdd;
  default:
    return isOdd;
  }
}

void Walk::enter(uint32_t region) {
  const Region &here = problem.regions[region];
  if (here.kind == Region::Loop)
    return loop(region);
  if (takesThen(region)) {
    block(here.first, here.elseAt, region);
    skip(here.elseAt, here.end, region);
  } else {
    skip(here.first, here.elseAt, region);
    block(here.elseAt, here.end, region);
  }
}

void Walk::leaveOut(uint32_t region) {
  const Region &here = problem.regions[region];
  if (here.kind == Region::If)
    return skip(here.first, here.end, region);
  gates(region, false, true);
  gates(region, true, true);
}

void Walk::loop(uint32_t region) {
  gates(region, false, false);
  trips.push_back({executions++, 0});
  std::vector<int64_t> before;
  for (uint32_t trip = 0; trip < choice.of[region]; ++trip) {
    trips.back().number = trip;
    block(problem.regions[region].first, problem.regions[region].end, region);
    if (trip > 0)
      checkBalance(region, before);
    before = held;
  }
  trips.pop_back();
  gates(region, true, false);
}

void Walk::checkBalance(uint32_t region, const std::vector<int64_t> &before) {
  for (uint32_t reg = 0; reg < held.size() && !result.imbalance; ++reg)
    if (!isRelative[reg] && held[reg] != before[reg])
      result.imbalance = {"BALANCE",
                          "a trip of loop '" + problem.regions[region].name +
                              "' changes what register " +
                              std::to_string(plan.registers[reg].number) +
                              " holds by " +
                              std::to_string(held[reg] - before[reg])};
}

void Walk::gates(uint32_t region, bool isAfter, bool isSkipped) {
  for (uint32_t i = 0; i < plan.gates.size(); ++i)
    if (plan.gates[i].region == region && plan.gates[i].isAfter == isAfter)
      emit(static_cast<Op>(problem.operations.size() + i), isSkipped);
}

std::string Walk::nameOf(Op id, bool isSkipped) const {
  std::string name;
  if (id < problem.operations.size()) {
    name = problem.operations[id].name;
  } else {
    const Gate &gate = plan.gates[id - problem.operations.size()];
    name = std::string(gate.isAfter ? "after " : "before ") +
           problem.regions[gate.region].name + " in " +
           problem.queues[gate.queue].name;
  }
  for (size_t i = 0; i < trips.size(); ++i)
    name += (i ? "," : "[") + std::to_string(trips[i].number) +
            (i + 1 == trips.size() ? "]" : "");
  return name + (isSkipped ? " (skipped)" : "");
}

uint32_t Walk::queueOf(Op id) const {
  size_t count = problem.operations.size();
  return id < count ? problem.operations[id].queue
                    : plan.gates[id - count].queue;
}

void Walk::emit(Op id, bool isSkipped) {
  const Commands &own = commands[id];
  if (isSkipped && !own.isCompensated)
    return;
  auto op = static_cast<Op>(result.problem.operations.size());
  bool works = id < problem.operations.size() && !isSkipped;
  result.problem.operations.push_back(
      {nameOf(id, isSkipped), queueOf(id),
       works ? problem.operations[id].duration : 0});
  result.original.push_back(id);
  emitCommands(op, own);
  if (!works)
    return;
  emitDependencies(id, op);
  instances[id].push_back({op, trips});
}

void Walk::emitCommands(Op op, const Commands &own) {
  if (own.isDrained) {
    result.plan.drains.push_back(op);
    std::fill(signalled.begin(), signalled.end(), 0);
    std::fill(held.begin(), held.end(), 0);
  }
  for (Wait wait : own.waits) {
    if (wait.isRelative) {
      wait.value = signalled[wait.reg] - wait.value;
      wait.isRelative = false;
      if (wait.value <= 0)
        continue;
    }
    wait.op = op;
    result.plan.waits.push_back(wait);
    if (problem.file.kind == FileKind::Token)
      --held[wait.reg];
  }
  for (Clear clear : own.clears) {
    clear.op = op;
    result.plan.clears.push_back(clear);
    --held[clear.reg];
  }
  for (Signal signal : own.signals) {
    signal.op = op;
    result.plan.signals.push_back(signal);
    ++signalled[signal.reg];
    ++held[signal.reg];
    result.most[signal.reg] =
        std::max(result.most[signal.reg], held[signal.reg]);
  }
}

/// How many loops hold both ends.
static size_t commonLoops(const SyncProblem &problem,
                          const Dependency &dependency) {
  return std::count_if(
      problem.regions.begin(), problem.regions.end(), [&](const Region &one) {
        return one.kind == Region::Loop && one.first <= dependency.from &&
               dependency.from < one.end && one.first <= dependency.to &&
               dependency.to < one.end;
      });
}

void Walk::emitDependencies(Op id, Op op) {
  for (const Dependency &dependency : dependenciesOf[id]) {
    size_t depth = commonLoops(problem, dependency);
    const std::vector<Instance> &known = instances[dependency.from];
    for (auto at = known.rbegin(); at != known.rend(); ++at) {
      if (depth == 0) {
        result.problem.dependencies.push_back(
            {at->op, op, dependency.strength});
        continue;
      }
      const Trip &there = at->trips[depth - 1], &here = trips[depth - 1];
      int64_t distance = int64_t(here.number) - there.number;
      if (there.execution != here.execution || distance > dependency.distance)
        break;
      if (distance == dependency.distance)
        result.problem.dependencies.push_back(
            {at->op, op, dependency.strength});
    }
  }
}

Execution tally::plan::sync::execute(const SyncProblem &problem,
                                     const SyncPlan &plan,
                                     const Choice &choice) {
  return Walk(problem, plan, choice).run();
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

std::string Choice::text(const SyncProblem &problem) const {
  static constexpr const char *kBranches[] = {
      "then", "else", "then and else by turns", "else and then by turns"};
  std::string text;
  for (size_t i = 0; i < of.size(); ++i) {
    const Region &region = problem.regions[i];
    text += text.empty() ? "" : ", ";
    text += region.kind == Region::Loop
                ? std::to_string(of[i]) + " trips of '" + region.name + "'"
                : "'" + region.name + "' " + kBranches[of[i]];
  }
  return text;
}

/// What a region may be set to: 4 values.
static uint32_t optionOf(const SyncProblem &problem, size_t region,
                         uint32_t index) {
  const Region &here = problem.regions[region];
  if (here.kind == Region::If)
    return index;
  uint32_t distance = 0;
  for (const Dependency &dependency : problem.dependencies)
    if (here.first <= dependency.to && dependency.to < here.end)
      distance = std::max(distance, dependency.distance);
  uint32_t trips = index < 3 ? index : distance + 3;
  if (here.trips != Region::kAnyTrips && trips > here.trips)
    trips = static_cast<uint32_t>(here.trips);
  return trips;
}

std::vector<Choice> tally::plan::sync::choicesOf(const SyncProblem &problem) {
  constexpr size_t kAll = 64, kOthers = 32;
  size_t count = problem.regions.size();
  std::vector<Choice> choices;
  auto add = [&](auto indexOf) {
    Choice choice;
    for (size_t i = 0; i < count; ++i)
      choice.of.push_back(optionOf(problem, i, indexOf(i)));
    choices.push_back(std::move(choice));
  };
  if (count <= 3) {
    static_assert(kAll == 4 * 4 * 4);
    for (size_t number = 0; number < size_t(1) << (2 * count); ++number)
      add([&](size_t i) { return number >> (2 * i) & 3; });
    return choices;
  }
  for (uint32_t all = 0; all < 4; ++all)
    add([&](size_t) { return all; });
  for (size_t one = 0; one < count; ++one)
    for (uint32_t index = 0; index < 3; ++index)
      add([&](size_t i) { return i == one ? index : 3; });
  uint64_t state = 1;
  for (size_t other = 0; other < kOthers; ++other)
    add([&](size_t) {
      state = state * 6364136223846793005 + 1442695040888963407;
      return static_cast<uint32_t>(state >> 62);
    });
  return choices;
}
