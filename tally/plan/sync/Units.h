//===- Units.h - what occupies a register, and who may share ----*- C++ -*-===//
//
// A unit is one signal and the operations that wait for it: what one register
// is needed for. Units of one domain compete for the same registers.
//
// When two units may share a register, without any order that is not there yet
// (a, x: the signalling operations; w, v: any of the waiters):
//
//   Counter  a and x: each w starts after x completes, or x completes after a;
//            and the same the other way round. Not transitive.
//   Token    a completes before x does, and w has started when v arrives: the
//            token that v finds cannot be a's. A strict partial order.
//   Flag     z, which clears a's flag, is the first operation known to start
//            no earlier than all w; z starts no later than x, and has started
//            when each v arrives: what v finds cannot be a's. A strict partial
//            order.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_UNITS_H
#define TALLY_PLAN_SYNC_UNITS_H

#include "tally/plan/sync/Order.h"
#include "tally/plan/sync/Plan.h"

#include <span>

namespace tally::plan::sync {

struct Unit {
  static constexpr Op kNoClear = UINT32_MAX;

  Op op = 0;           ///< signals
  uint32_t domain = 0; ///< index in Units::domains
  uint32_t firstWaiter = 0, endWaiter = 0;
  Op clear = kNoClear; ///< of a flag; none: it is cleared at the end
};

/// Units by signalling operation.
struct Units {
  std::vector<Unit> units;
  std::vector<Op> waiters;       ///< of all units; ascending in each
  std::vector<Register> domains; ///< a register of the domain; number 0

  std::span<const Op> waitersOf(const Unit &unit) const {
    return std::span(waiters).subspan(unit.firstWaiter,
                                      unit.endWaiter - unit.firstWaiter);
  }
  /// Indices of the units of each domain, ascending.
  std::vector<std::vector<uint32_t>> byDomain() const;
};

/// One unit for each signal that the edges need: a token for each edge, and
/// otherwise one for each operation, or for each of its destination queues
/// when the key tells destinations apart.
Units unitsOf(const SyncProblem &problem, const Order &order);

/// Whether two units of one domain may share a counter; a.op < x.op.
bool mayShareCounter(const Order &order, const Units &units, const Unit &a,
                     const Unit &x);

/// Whether a token or flag may serve first `a`, then `x`.
bool mayFollow(FileKind kind, const Order &order, const Units &units,
               const Unit &a, const Unit &x);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_UNITS_H
