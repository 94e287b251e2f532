//===- Program.h - plans for programs with loops and ifs --------*- C++ -*-===//
//
// The ways in which waits can be equal in every trip of a loop, best first:
//
//   Relative  counters, and waits that count from what has been issued
//   Credited  tokens or flags, with credit for the trips that are not there
//   Epochs    a drain sets registers to 0 at the start of every trip
//
// Each gives a whole plan or says why it cannot.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_PROGRAM_H
#define TALLY_PLAN_SYNC_PROGRAM_H

#include "tally/plan/sync/Levels.h"
#include "tally/plan/sync/Solver.h"

namespace tally::plan::sync {

/// Collects commands in any order, and registers as they are named.
class PlanBuilder {
public:
  explicit PlanBuilder(const SyncProblem &problem) : problem(problem) {}

  /// The register's position in the plan.
  uint32_t use(const Register &reg);
  void signal(Op op, uint32_t reg) { plan.signals.push_back({op, reg}); }
  void wait(Op op, uint32_t reg, int64_t value = 1, bool isRelative = false) {
    plan.waits.push_back({op, reg, value, 0, isRelative});
  }
  void clear(Op op, uint32_t reg) { plan.clears.push_back({op, reg}); }
  void drain(Op op) { plan.drains.push_back(op); }
  /// Adds a plan whose operation i is ids[i].
  void add(const SyncPlan &part, const std::vector<Op> &ids);

  /// The commands in order; waits that a command cannot hold in others before
  /// it; operations and gates inside ifs compensated, as `isConditional` says.
  template <typename IsConditional>
  SyncPlan finish(std::vector<Gate> gates, const IsConditional &isConditional) {
    sort();
    plan.gates = std::move(gates);
    for (Op op : commanded())
      if (isConditional(op))
        plan.compensated.push_back(op);
    return std::move(plan);
  }

private:
  void sort();
  void chainWaits();
  std::vector<Op> commanded() const;

  const SyncProblem &problem;
  SyncPlan plan;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> positions;
};

/// A plan of one of the ways, or what stands against it.
struct Way {
  Method method = Method::None;
  SyncPlan plan;
  int64_t needed = 0;    ///< registers of the key that needs most
  size_t edges = 0;      ///< waits that loops and what is around them need
  size_t addedOrder = 0; ///< edges made so that registers suffice
  std::vector<Holder> pressure;
  std::string obstacle; ///< empty when there is a plan
};

Result<Way> planRelative(const SyncProblem &problem);
Result<Way> planCredited(const SyncProblem &problem);
Result<Way> planEpochs(const SyncProblem &problem);
/// Of a program without loops: as a straight line, the ifs compensated.
Result<Way> planBranches(const SyncProblem &problem);

/// solve() for a problem with regions.
Result<SyncSolution> solveProgram(const SyncProblem &problem,
                                  const SolveOptions &options);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_PROGRAM_H
