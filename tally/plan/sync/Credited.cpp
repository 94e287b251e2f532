//===- Credited.cpp - tokens and flags that loops hand on -----------------===//
//
// The edges of one ordered pair of queues in one level never cross: of two
// that did, one would follow from the other. So the k-th wait of one queue is
// for the k-th signal of the other, in any number of trips, and one token
// serves the pair. A wait for an earlier trip finds nothing in the first
// trips; credit is signalled before the loop, and as much is taken after it,
// whether or not there was a trip.
//
//   loop { a; b after a of 1 trip before }
//     before: A signals t.  Each trip: a signals t, b takes t.  After: B takes
//     t.
//
// How much a register holds: what lies between a signal and its wait in issue
// order, and what waits in the waiting queue, whose depth limits it. Where that
// is too much, the order may say less; else the signals are held back, by an
// edge from the last wait of a trip to the first signal m trips later:
// credit + m signals of a trip fit. Where the credit alone is too much, the
// edge is made to go back fewer trips. A flag is a token that holds 1 and whose
// waiter clears it; mostly each edge then needs its own.
//
// Where depth is the limit, the register of a pair serves all loops at one
// depth, which never overlap. Otherwise it serves one loop, and the next time
// that it runs waits for the last to be over.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Program.h"
#include "tally/plan/sync/Schedule.h"

#include <algorithm>
#include <set>

using namespace tally;
using namespace tally::plan::sync;

static constexpr int kRounds = 6;
static constexpr int64_t kMostAhead = 64;

namespace {
using Pair = std::pair<uint32_t, uint32_t>;

/// What one register does in one loop.
struct LoopRegister {
  uint32_t loop = 0;
  Pair queues;
  std::vector<LevelEdge> edges;
  bool isOwn = false; ///< no other loop uses it
  uint32_t number = 0;

  int64_t credit() const {
    int64_t sum = 0;
    for (const LevelEdge &edge : edges)
      sum += edge.distance;
    return sum;
  }
};

class CreditPlanner {
public:
  explicit CreditPlanner(const SyncProblem &problem)
      : problem(problem), levels(problem), builder(problem),
        most(problem.file.maxValue()) {}

  Result<Way> plan();

private:
  Status settle(uint32_t loop);
  Result<bool> settleOnce(uint32_t loop);
  std::vector<LoopRegister> byPair(uint32_t loop,
                                   const std::vector<LevelEdge> &edges);
  bool isRoomy(const LoopRegister &reg) const;
  int64_t heldByOrder(const Level &level, const Order &order, uint32_t copies,
                      const LoopRegister &reg) const;
  bool holdBack(Level &level, const LoopRegister &reg);
  bool tighten(Level &level, const LevelEdge &edge);
  bool splitPair(const LoopRegister &reg) {
    return split.insert({reg.loop, reg.queues.first, reg.queues.second}).second;
  }
  void separateRuns(uint32_t loop, const LoopRegister &reg);
  bool shareRoom(const std::vector<LoopRegister *> &group) const;
  void number();
  Register nameOf(const LoopRegister &reg) const;
  void emit();
  Result<bool> addOutside();
  std::vector<Gate> orderGates();
  uint32_t depthOf(uint32_t loop) const;
  void describe();

  const SyncProblem &problem;
  Levels levels;
  PlanBuilder builder;
  int64_t most;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> split; ///< loop and pair
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> heldBack;
  std::vector<LoopRegister> registers;
  uint32_t numbers = 0; ///< of each key, used by loops
  std::vector<Gate> credits, drains;
  Way way;
};
} // namespace

uint32_t CreditPlanner::depthOf(uint32_t loop) const {
  uint32_t depth = 0;
  while ((loop = levels.nesting.loopAroundLoop(loop)) != kOutside)
    ++depth;
  return depth;
}

std::vector<LoopRegister>
CreditPlanner::byPair(uint32_t loop, const std::vector<LevelEdge> &edges) {
  const Level &level = levels.of(loop);
  std::vector<LoopRegister> result;
  std::map<Pair, size_t> known;
  for (const LevelEdge &edge : edges) {
    Pair pair{levels.queueOf(level.items[edge.from]),
              levels.queueOf(level.items[edge.to])};
    if (!problem.queues[pair.first].inOrder)
      way.obstacle = "queue '" + problem.queues[pair.first].name +
                     "' completes out of order";
    bool isSplit = split.count({loop, pair.first, pair.second});
    auto [at, isNew] = known.try_emplace(pair, result.size());
    if (isNew || isSplit) {
      at->second = result.size();
      result.push_back({loop, pair, {}, false, 0});
    }
    result[at->second].edges.push_back(edge);
  }
  return result;
}

/// Whether a register holds enough by the depth of the waiting queue: the most
/// in issue order, and for each command in the queue what it takes.
bool CreditPlanner::isRoomy(const LoopRegister &reg) const {
  int64_t credit = reg.credit();
  auto perTrip = static_cast<int64_t>(reg.edges.size());
  int64_t inQueue =
      problem.queues[reg.queues.second].depth * std::max<int64_t>(credit, 1);
  return problem.file.kind == FileKind::Token &&
         credit + perTrip + inQueue <= most;
}

/// The most by the order of many trips, right after any signal of the last; it
/// is the same in all later ones.
int64_t CreditPlanner::heldByOrder(const Level &level, const Order &order,
                                   uint32_t copies,
                                   const LoopRegister &reg) const {
  auto width = static_cast<Op>(level.items.size());
  int64_t largest = 0;
  for (const LevelEdge &signal : reg.edges) {
    Op op = (copies - 1) * width + signal.from;
    int64_t held = reg.credit();
    bool knowsTake = false;
    for (const LevelEdge &edge : reg.edges) {
      held += edge.from <= signal.from ? copies : copies - 1;
      for (uint32_t copy = copies; copy-- > 0;) {
        Op take = copy * width + edge.to;
        if (take != op && !order.started(take, op))
          continue;
        held -= copy + 1;
        knowsTake = true;
        break;
      }
    }
    largest = std::max(largest, knowsTake ? held : INT64_MAX);
  }
  return largest;
}

/// What goes back fewer trips implies the edge and needs less credit.
bool CreditPlanner::tighten(Level &level, const LevelEdge &edge) {
  if (edge.distance == 0)
    return false;
  auto distance =
      static_cast<uint32_t>(std::min<int64_t>(edge.distance - 1, most));
  if (distance == 0 && edge.from >= edge.to)
    return false;
  level.dependencies.push_back({level.items[edge.from], level.items[edge.to],
                                Strength::Completed, distance});
  return true;
}

/// Adds the edge that keeps the register within what it holds.
bool CreditPlanner::holdBack(Level &level, const LoopRegister &reg) {
  auto perTrip = static_cast<int64_t>(reg.edges.size());
  int64_t ahead = std::min((most - reg.credit()) / perTrip, kMostAhead);
  uint32_t lastWait = 0, firstSignal = UINT32_MAX;
  for (const LevelEdge &edge : reg.edges) {
    lastWait = std::max(lastWait, edge.to);
    firstSignal = std::min(firstSignal, edge.from);
  }
  if (most < reg.credit() || ahead < 0 ||
      (ahead == 0 && lastWait >= firstSignal)) {
    return perTrip == 1 ? tighten(level, reg.edges[0]) : splitPair(reg);
  }
  bool isNew =
      heldBack.insert({reg.loop, reg.queues.first, reg.queues.second}).second;
  if (!isNew && perTrip > 1)
    return splitPair(reg);
  level.dependencies.push_back({level.items[lastWait], level.items[firstSignal],
                                Strength::Completed,
                                static_cast<uint32_t>(ahead)});
  return true;
}

/// A loop inside others runs again: not before the registers are empty.
void CreditPlanner::separateRuns(uint32_t loop, const LoopRegister &reg) {
  for (uint32_t inner = loop;;) {
    uint32_t outer = levels.nesting.loopAroundLoop(inner);
    if (outer == kOutside)
      return;
    Op last = levels.gate(inner, true, reg.queues.second),
       first = levels.gate(inner, false, reg.queues.first);
    levels.of(outer).dependencies.push_back(
        {last, first, Strength::Completed, 1});
    inner = outer;
  }
}

/// Whether the loop is settled; else edges have been added to its level.
Result<bool> CreditPlanner::settleOnce(uint32_t loop) {
  Level &level = levels.of(loop);
  size_t given = level.dependencies.size();
  Result<std::vector<LevelEdge>> edges = levels.reduce(level);
  if (!edges)
    return edges.takeError();
  std::vector<LoopRegister> found = byPair(loop, *edges);
  if (!way.obstacle.empty())
    return true;
  uint32_t reach = 0;
  for (const LevelEdge &edge : *edges)
    reach = std::max(reach, edge.distance);
  SyncProblem trips = levels.unrolled(level, reach + 2);
  Result<Order> order = Order::reduce(trips, trips.dependencies);
  if (!order)
    return order.takeError();
  bool isSettled = true;
  for (LoopRegister &reg : found) {
    if (isRoomy(reg))
      continue;
    reg.isOwn = true;
    if (heldByOrder(level, *order, reach + 2, reg) <= most)
      continue;
    isSettled = false;
    if (!holdBack(level, reg)) {
      way.obstacle =
          "a register holds " + std::to_string(most) + ", less than queue '" +
          problem.queues[reg.queues.first].name + "' signals '" +
          problem.queues[reg.queues.second].name + "' before it is taken";
      return true;
    }
  }
  way.addedOrder += level.dependencies.size() - given;
  if (!isSettled)
    return false;
  for (LoopRegister &reg : found) {
    if (reg.isOwn)
      separateRuns(loop, reg);
    registers.push_back(std::move(reg));
  }
  return true;
}

Status CreditPlanner::settle(uint32_t loop) {
  for (int round = 0; round < kRounds; ++round) {
    Result<bool> settled = settleOnce(loop);
    if (!settled)
      return settled.takeError();
    if (*settled)
      return Status::success();
  }
  way.obstacle = "the signals of loop '" + problem.regions[loop].name +
                 "' cannot be held back within " + std::to_string(most);
  return Status::success();
}

Register CreditPlanner::nameOf(const LoopRegister &reg) const {
  Register name;
  if (problem.file.key != FileKey::Global)
    name.source = reg.queues.first;
  if (problem.file.key == FileKey::SourceDestination)
    name.destination = reg.queues.second;
  return name;
}

/// The most that one register holds that serves these loops one after the
/// other: tokens of a loop may still be in the queue when the next one begins.
bool CreditPlanner::shareRoom(const std::vector<LoopRegister *> &group) const {
  int64_t ahead = 0, perCommand = 1;
  for (const LoopRegister *reg : group) {
    int64_t credit = reg->credit();
    ahead = std::max(ahead, credit + static_cast<int64_t>(reg->edges.size()));
    perCommand = std::max(perCommand, credit);
  }
  int64_t depth = problem.queues[group[0]->queues.second].depth;
  return ahead + depth * perCommand <= most;
}

/// Numbers are given by key; pairs at one depth share unless they may not.
void CreditPlanner::number() {
  std::map<Pair, uint32_t> next; // by key
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>,
           std::vector<LoopRegister *>>
      groups;
  auto give = [&](LoopRegister &reg, bool isNew) {
    Register key = nameOf(reg);
    uint32_t &free = next[{key.source, key.destination}];
    free += isNew;
    numbers = std::max(numbers, free);
    return free - 1;
  };
  for (LoopRegister &reg : registers)
    if (reg.isOwn)
      reg.number = give(reg, true);
    else
      groups[{depthOf(reg.loop), reg.queues.first, reg.queues.second}]
          .push_back(&reg);
  for (auto &[key, group] : groups) {
    bool isShared = shareRoom(group);
    for (size_t i = 0; i < group.size(); ++i)
      group[i]->number = give(*group[i], i == 0 || !isShared);
  }
}

static Op gateIn(std::vector<Gate> &gates, uint32_t region, bool isAfter,
                 uint32_t queue) {
  for (Op i = 0; i < gates.size(); ++i)
    if (gates[i].region == region && gates[i].queue == queue)
      return i;
  gates.push_back({region, isAfter, queue});
  return static_cast<Op>(gates.size() - 1);
}

void CreditPlanner::emit() {
  std::vector<uint32_t> usable = problem.file.usable();
  bool isFlag = problem.file.kind == FileKind::Flag;
  for (const LoopRegister &reg : registers)
    if (reg.credit()) {
      gateIn(credits, reg.loop, false, reg.queues.first);
      gateIn(drains, reg.loop, true, reg.queues.second);
    }
  auto base = static_cast<Op>(problem.operations.size());
  auto creditBase = static_cast<Op>(base + drains.size() + levels.gates.size());
  auto placed = [&](Op item) {
    return item < base ? item : static_cast<Op>(item + drains.size());
  };
  auto take = [&](Op op, uint32_t position) {
    builder.wait(op, position);
    if (isFlag)
      builder.clear(op, position);
  };
  for (const LoopRegister &reg : registers) {
    Register name = nameOf(reg);
    name.number = usable[reg.number];
    uint32_t position = builder.use(name);
    const Level &level = levels.of(reg.loop);
    for (const LevelEdge &edge : reg.edges) {
      builder.signal(placed(level.items[edge.from]), position);
      take(placed(level.items[edge.to]), position);
    }
    for (int64_t i = 0; i < reg.credit(); ++i) {
      builder.signal(creditBase +
                         gateIn(credits, reg.loop, false, reg.queues.first),
                     position);
      take(base + gateIn(drains, reg.loop, true, reg.queues.second), position);
    }
  }
}

/// Drains of credit before gates that tell of completion; credit after gates
/// that wait.
std::vector<Gate> CreditPlanner::orderGates() {
  std::vector<Gate> gates = drains;
  gates.insert(gates.end(), levels.gates.begin(), levels.gates.end());
  gates.insert(gates.end(), credits.begin(), credits.end());
  return gates;
}

/// What stands outside all loops is a straight line.
Result<bool> CreditPlanner::addOutside() {
  const Level &outside = levels.of(kOutside);
  SyncProblem line = levels.unrolled(outside, 1);
  std::vector<uint32_t> usable = problem.file.usable();
  for (uint32_t i = 0; i < numbers; ++i)
    line.file.reserved.push_back(usable[i]);
  Result<SyncSolution> solution = solve(line);
  if (!solution) {
    way.obstacle = solution.error().message + " outside of loops";
    return solution.error().rule != "SYNC-10"
               ? Result<bool>(false)
               : Result<bool>(solution.takeError());
  }
  std::vector<Op> ids;
  ids.reserve(outside.items.size());
  auto base = static_cast<Op>(problem.operations.size());
  for (Op item : outside.items)
    ids.push_back(item < base ? item : static_cast<Op>(item + drains.size()));
  builder.add(solution->plan, ids);
  way.edges += solution->report.edges;
  way.needed = numbers + solution->report.needed;
  return true;
}

/// What each register of a loop is for.
void CreditPlanner::describe() {
  for (const LoopRegister &reg : registers) {
    const Level &level = levels.of(reg.loop);
    Holder holder;
    holder.op = level.items[reg.edges[0].from];
    for (const LevelEdge &edge : reg.edges)
      holder.waiters.push_back(level.items[edge.to]);
    way.pressure.push_back(std::move(holder));
    way.edges += reg.edges.size();
  }
}

Result<Way> CreditPlanner::plan() {
  way.method = Method::Credited;
  for (auto loop = static_cast<uint32_t>(problem.regions.size()); loop-- > 0;) {
    if (problem.regions[loop].kind != Region::Loop)
      continue;
    if (Status status = settle(loop); !status)
      return status.takeError();
    if (levels.unorderedQueue)
      way.obstacle = "queue '" + problem.queues[*levels.unorderedQueue].name +
                     "' completes out of order";
    if (!way.obstacle.empty())
      return std::move(way);
  }
  number();
  auto usable = static_cast<int64_t>(problem.file.usable().size());
  if (numbers > usable) {
    way.obstacle = "loops need " + std::to_string(numbers) + " registers, " +
                   std::to_string(usable) + " are usable";
    return std::move(way);
  }
  emit();
  describe();
  Result<bool> hasOutside = addOutside();
  if (!hasOutside)
    return hasOutside.takeError();
  if (!*hasOutside)
    return std::move(way);
  auto base = static_cast<Op>(problem.operations.size());
  std::vector<Gate> gates = orderGates();
  way.plan = builder.finish(gates, [&](Op id) {
    if (id < base)
      return levels.nesting.isConditional(id);
    return levels.nesting.isLoopConditional(gates[id - base].region) &&
           id >= base + drains.size() &&
           id < base + drains.size() + levels.gates.size();
  });
  return std::move(way);
}

Result<Way> tally::plan::sync::planCredited(const SyncProblem &problem) {
  return CreditPlanner(problem).plan();
}
