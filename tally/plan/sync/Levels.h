//===- Levels.h - a program as stretches that repeat ------------*- C++ -*-===//
//
// A level is the code right inside one loop, or outside all of them. Its ifs
// are flattened: the commands of every branch stand in it, since each branch
// does those of the others, too (SyncPlan::compensated). Of a loop within it
// only gates stand in it.
//
// A dependency belongs to the level of the innermost loop that holds both its
// ends. Where an end lies deeper, a gate takes its place, after the inner loop
// in the queue of what has to complete, or before it in the queue of what has
// to wait. So signals and waits of a level are always those of one trip, or of
// trips a fixed distance apart, however often inner loops run.
//
//   loop { a } ; b after a:  the gate after the loop in a's queue signals.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_LEVELS_H
#define TALLY_PLAN_SYNC_LEVELS_H

#include "tally/plan/sync/Order.h"
#include "tally/plan/sync/Plan.h"

#include <map>
#include <optional>
#include <tuple>

namespace tally::plan::sync {

/// No loop.
inline constexpr uint32_t kOutside = UINT32_MAX;

/// How regions enclose operations and each other. A region without operations
/// does not appear.
class Nesting {
public:
  explicit Nesting(const SyncProblem &problem);

  /// The innermost loop around an operation, or a loop; or kOutside.
  uint32_t loopAround(Op op) const { return loopOfOp[op]; }
  uint32_t loopAroundLoop(uint32_t loop) const { return loopOfLoop[loop]; }
  /// The innermost loop that holds both.
  uint32_t commonLoop(Op a, Op b) const;
  /// The loop right inside `outer` that holds `op`; `outer` if there is none.
  uint32_t loopBelow(uint32_t outer, Op op) const;
  /// Whether an if lies between it and the loop around it.
  bool isConditional(Op op) const { return conditional[op]; }
  bool isLoopConditional(uint32_t loop) const { return loopConditional[loop]; }

private:
  std::vector<uint32_t> loopOfOp, loopOfLoop, depth;
  std::vector<bool> conditional, loopConditional;
};

struct Level {
  uint32_t loop = kOutside;
  std::vector<Op> items; ///< operations and gates, in issue order
  /// Ends are operations and gates.
  std::vector<Dependency> dependencies;
};

/// An edge from an item of a level to one of the same trip or `distance` trips
/// later; positions in Level::items.
struct LevelEdge {
  uint32_t from = 0, to = 0, distance = 0;
};

/// The levels of a problem. Gates are numbered as in SyncPlan.
class Levels {
public:
  explicit Levels(const SyncProblem &problem);

  /// The queue in which a loop's completion cannot be told, since it completes
  /// out of order; with it, levels are of no use.
  std::optional<uint32_t> unorderedQueue;
  std::vector<Level>
      all; ///< one for each region, loops only; the last: outside
  std::vector<Gate> gates;
  Nesting nesting;

  Level &of(uint32_t loop) { return loop == kOutside ? all.back() : all[loop]; }
  const Level &of(uint32_t loop) const {
    return loop == kOutside ? all.back() : all[loop];
  }
  uint32_t queueOf(Op item) const;
  bool isConditional(Op item) const;
  /// The gate of a loop, made when it is new; it joins the level around.
  Op gate(uint32_t loop, bool isAfter, uint32_t queue);

  /// The level's items `copies` times, its dependencies among them; without
  /// regions. An item without a duration is a gate.
  SyncProblem unrolled(const Level &level, uint32_t copies) const;
  /// The unique smallest set of edges that imply the dependencies, in any
  /// number of trips: those into the last of as many trips as the distances
  /// reach, since nothing between two operations lies outside of these.
  Result<std::vector<LevelEdge>> reduce(const Level &level) const;

private:
  void place(const Dependency &dependency);
  uint64_t place(Op item) const;

  const SyncProblem &problem;
  std::map<std::tuple<uint32_t, bool, uint32_t>, Op> known;
};

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_LEVELS_H
