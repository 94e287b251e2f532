//===- Solver.h - a synchronization plan and why it is so -------*- C++ -*-===//
//
// The planner, and its account: what was needed, what proves it, what fewer
// registers would cost.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_SOLVER_H
#define TALLY_PLAN_SYNC_SOLVER_H

#include "tally/plan/sync/Coloring.h"
#include "tally/plan/sync/Plan.h"

namespace tally::plan::sync {

/// How the registers suffice.
enum class Method {
  None,      ///< nothing has to wait
  Shared,    ///< as needed, no order added
  Deferred,  ///< counters: signals made later, where that costs no time
  Slack,     ///< counters: order added that is predicted anyway
  Grouped,   ///< counters: lanes merged (Grouping.h)
  Throttled, ///< tokens: producers wait, lest a token is lost
  HandOff,   ///< tokens and flags: one operation after the other
  Segmented, ///< tokens and flags: drains wherever registers run out
  Drained,   ///< no registers: the command processor waits
  Relative,  ///< loops: waits count from what has been issued
  Credited,  ///< loops: tokens or flags are handed from trip to trip
  Epochs,    ///< loops: a drain in every trip
};
const char *methodName(Method method);
const char *proofName(Proof proof);

/// Registers, with those of one key, and what the plan would take.
struct PricePoint {
  int64_t registers = 0;
  int64_t makespan = 0;
  Method method = Method::None;
};

/// One of the units that exclude each other.
struct Holder {
  Op op = 0;
  std::vector<Op> waiters;
  /// Time from the signal to the first start of a waiter, were registers
  /// plenty: 0 when a waiter is held up by it.
  int64_t slack = 0;
};

struct SyncReport {
  Method method = Method::None;
  size_t dependencies = 0; ///< as given
  size_t edges = 0;        ///< of them, those no queue or other edge implies
  size_t addedOrder = 0;   ///< edges of the plan that are not among these
  int64_t usable = 0;      ///< registers of each key, reserved ones left out
  int64_t needed = 0;      ///< of the key that needs most, no order added
  int64_t lowerBound = 0;  ///< nothing less can be enough without order
  Proof proof = Proof::Witness;
  std::vector<Holder> pressure; ///< the proof's units: `lowerBound` of them
  int64_t makespan = 0;         ///< predicted, of the plan
  int64_t unlimited = 0;        ///< with registers plenty
  int64_t serial = 0;           ///< sum of durations
  /// Of a program with loops, how often each region runs where a makespan is
  /// predicted: 4 trips, or as many as there may be, and the first branch.
  std::vector<uint32_t> pricedTrips;
  /// Registers from 0 (if there are drains) up to `needed`; filled on demand.
  std::vector<PricePoint> curve;
};

struct SyncSolution {
  SyncPlan plan;
  SyncReport report;
};

struct SolveOptions {
  bool priceCurve = false;
};

/// Plans `problem`, a straight line or a program (Program.h says how). Equal
/// problems give equal plans. Refuses what the rules in
/// Problem.h refuse.
///
/// A clear of a flag, and a token that is taken, have to reach a waiter before
/// it arrives at its next wait; fewer registers than a hand-off chain has
/// destinations cannot do that, so such a file needs drains (SYNC-8).
Result<SyncSolution> solve(const SyncProblem &problem,
                           const SolveOptions &options = {});

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_SOLVER_H
