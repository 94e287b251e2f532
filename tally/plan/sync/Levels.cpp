//===- Levels.cpp - a program as stretches that repeat --------------------===//

#include "tally/plan/sync/Levels.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::sync;

static bool contains(const Region &outer, const Region &inner) {
  return outer.first <= inner.first && inner.end <= outer.end;
}

Nesting::Nesting(const SyncProblem &problem)
    : loopOfOp(problem.operations.size(), kOutside),
      loopOfLoop(problem.regions.size(), kOutside),
      depth(problem.regions.size(), 0),
      conditional(problem.operations.size(), false),
      loopConditional(problem.regions.size(), false) {
  for (uint32_t i = 0; i < problem.regions.size(); ++i) {
    const Region &region = problem.regions[i];
    bool isLoop = region.kind == Region::Loop;
    for (Op op = region.first; op < region.end; ++op) {
      conditional[op] = !isLoop;
      if (isLoop)
        loopOfOp[op] = i;
    }
    for (uint32_t j = 0; j < i; ++j) {
      if (!contains(problem.regions[j], region))
        continue;
      loopConditional[i] = problem.regions[j].kind == Region::If;
      if (loopConditional[i])
        continue;
      loopOfLoop[i] = j;
      depth[i] = depth[j] + 1;
    }
  }
}

uint32_t Nesting::commonLoop(Op a, Op b) const {
  uint32_t x = loopOfOp[a], y = loopOfOp[b];
  while (x != y) {
    if (x == kOutside || y == kOutside)
      return kOutside;
    if (depth[x] >= depth[y])
      x = loopOfLoop[x];
    else
      y = loopOfLoop[y];
  }
  return x;
}

uint32_t Nesting::loopBelow(uint32_t outer, Op op) const {
  uint32_t loop = loopOfOp[op];
  while (loop != outer && loopOfLoop[loop] != outer)
    loop = loopOfLoop[loop];
  return loop;
}

Levels::Levels(const SyncProblem &problem)
    : all(problem.regions.size() + 1), nesting(problem), problem(problem) {
  for (uint32_t i = 0; i < problem.regions.size(); ++i)
    all[i].loop = i;
  for (Op op = 0; op < problem.operations.size(); ++op)
    of(nesting.loopAround(op)).items.push_back(op);
  for (const Dependency &dependency : problem.dependencies)
    place(dependency);
}

uint32_t Levels::queueOf(Op item) const {
  size_t count = problem.operations.size();
  return item < count ? problem.operations[item].queue
                      : gates[item - count].queue;
}

bool Levels::isConditional(Op item) const {
  size_t count = problem.operations.size();
  return item < count ? nesting.isConditional(item)
                      : nesting.isLoopConditional(gates[item - count].region);
}

/// Items sort by it: what follows a loop, what precedes one, operations.
uint64_t Levels::place(Op item) const {
  size_t count = problem.operations.size();
  if (item < count)
    return uint64_t(item) * 4 + 2;
  const Gate &gate = gates[item - count];
  const Region &loop = problem.regions[gate.region];
  return gate.isAfter ? uint64_t(loop.end) * 4 : uint64_t(loop.first) * 4 + 1;
}

Op Levels::gate(uint32_t loop, bool isAfter, uint32_t queue) {
  auto id = static_cast<Op>(problem.operations.size() + gates.size());
  auto [at, isNew] = known.try_emplace({loop, isAfter, queue}, id);
  if (!isNew)
    return at->second;
  gates.push_back({loop, isAfter, queue});
  if (isAfter && !problem.queues[queue].inOrder)
    unorderedQueue = queue;
  std::vector<Op> &items = of(nesting.loopAroundLoop(loop)).items;
  auto before = [&](Op a, Op b) { return place(a) < place(b); };
  items.insert(std::upper_bound(items.begin(), items.end(), id, before), id);
  return id;
}

void Levels::place(const Dependency &dependency) {
  uint32_t from = problem.operations[dependency.from].queue,
           to = problem.operations[dependency.to].queue;
  bool isQueueOrder = from == to && problem.queues[from].inOrder;
  bool isOwn = dependency.from == dependency.to && !dependency.distance;
  if (isQueueOrder || isOwn)
    return;
  uint32_t loop = nesting.commonLoop(dependency.from, dependency.to);
  uint32_t below = nesting.loopBelow(loop, dependency.from);
  Dependency placed = dependency;
  if (below != loop) {
    placed.from = gate(below, true, from);
    placed.strength = Strength::Completed;
  }
  below = nesting.loopBelow(loop, dependency.to);
  if (below != loop)
    placed.to = gate(below, false, to);
  of(loop).dependencies.push_back(placed);
}

SyncProblem Levels::unrolled(const Level &level, uint32_t copies) const {
  SyncProblem result;
  result.queues = problem.queues;
  result.file = problem.file;
  std::map<Op, Op> position;
  for (Op item : level.items)
    position.emplace(item, static_cast<Op>(position.size()));
  auto width = static_cast<Op>(level.items.size());
  for (uint32_t copy = 0; copy < copies; ++copy) {
    for (Op item : level.items)
      result.operations.push_back(
          item < problem.operations.size()
              ? Operation{"", queueOf(item), problem.operations[item].duration}
              : Operation{"", queueOf(item), 0});
    for (const Dependency &one : level.dependencies)
      if (one.distance <= copy)
        result.dependencies.push_back(
            {(copy - one.distance) * width + position.at(one.from),
             copy * width + position.at(one.to), one.strength});
  }
  return result;
}

Result<std::vector<LevelEdge>> Levels::reduce(const Level &level) const {
  uint32_t reach = 0;
  for (const Dependency &one : level.dependencies)
    reach = std::max(reach, one.distance);
  SyncProblem trips = unrolled(level, reach + 1);
  Result<Order> order = Order::reduce(trips, trips.dependencies);
  if (!order)
    return order.takeError();
  std::vector<LevelEdge> edges;
  auto width = static_cast<Op>(level.items.size());
  for (const Edge &edge : order->edges())
    if (edge.to >= reach * width)
      edges.push_back(
          {edge.from % width, edge.to % width, reach - edge.from / width});
  return edges;
}
