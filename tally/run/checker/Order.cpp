//===- Order.cpp - what surely happens before what ------------------------===//
//
// Which signals a wait is after depends on what else is ordered, which depends
// on waits. So all that one execution suggests is claimed first: a wait is
// after the first n signals of its register. Then claims that the others do not
// support are dropped, until all are supported.
//
// What is left is true in every execution. Suppose not, and take the first
// moment at which a wait w passes without a claimed signal s. All claims of
// waits that passed earlier hold. So the signals that have happened are neither
// after s nor after w, and of these there are fewer than w needs: w cannot have
// passed.
//
// Example: queue A signals c twice, queue B once, unordered; a wait for 2 in C.
// Claimed from one execution: both of A's. But without the second of A's there
// are still two, so that claim falls; without the first, only B's: it stays.
// (A's second is after its first.)
//
// Cost of a round: events x actors, and for each wait (sources of its
// register)^2 binary searches. Well-made programs take one or two rounds.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Order.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;

static void join(std::vector<uint32_t> &into, std::span<const uint32_t> other) {
  for (size_t i = 0; i < into.size(); ++i)
    into[i] = std::max(into[i], other[i]);
}

Order::Order(const Stream &stream, const machine::Machine &machine,
             const Progress &progress)
    : stream(stream), machine(machine), progress(progress),
      actors(stream.queues + 1), arrivalOf(stream.events.size()) {
  clocks.resize(stream.events.size() * actors);
  uint32_t waits = 0;
  for (EventId id = 0; id < stream.events.size(); ++id)
    if (isWait(stream.events[id].kind))
      arrivalOf[id] = waits++;
  arrivals.resize(size_t(waits) * actors);
  for (const std::vector<EventId> &events : progress.signals)
    signals.push_back(bySource(stream, events));
  for (const std::vector<EventId> &events : progress.waits)
    takes.push_back(bySource(stream, events));
  claimAll();
  do {
    computeClocks();
    ++roundCount;
  } while (dropUnproven());
}

bool Order::inOrder(uint32_t actor) const {
  return actor == stream.processor() || machine.engineOf(actor).inOrder;
}

//===----------------------------------------------------------------------===//
// Claims
//===----------------------------------------------------------------------===//

Order::Sources Order::bySource(const Stream &stream,
                               const std::vector<EventId> &events) {
  Sources list;
  for (uint32_t place = 0; place < events.size(); ++place) {
    uint32_t queue = stream.events[events[place]].actor;
    auto found = std::find_if(list.begin(), list.end(), [&](const Source &s) {
      return s.queue == queue;
    });
    if (found == list.end())
      found = list.insert(found, Source{queue, {}, {}});
    found->events.push_back(events[place]);
    found->places.push_back(place);
  }
  return list;
}

/// Those of `events`, which are all on the register of `wait`, that happen in
/// its epoch.
std::span<const EventId> Order::ofEpoch(const std::vector<EventId> &events,
                                        EventId wait) const {
  uint32_t epoch = progress.epoch[wait];
  auto from =
      std::partition_point(events.begin(), events.end(), [&](EventId id) {
        return progress.epoch[id] < epoch;
      });
  auto to = std::partition_point(from, events.end(), [&](EventId id) {
    return progress.epoch[id] == epoch;
  });
  return {from, to};
}

/// Claims the first signals of the epoch, as many as the wait needed.
void Order::claim(EventId wait) {
  const Event &event = stream.events[wait];
  const std::vector<EventId> &all = progress.signals[event.sync];
  auto begin = ofEpoch(all, wait).data() - all.data();
  auto end = begin + std::max(progress.need[wait], 0);
  for (uint32_t s = 0; s < signals[event.sync].size(); ++s) {
    const std::vector<uint32_t> &places = signals[event.sync][s].places;
    auto from = std::lower_bound(places.begin(), places.end(), begin);
    auto to = std::lower_bound(from, places.end(), end);
    if (from != to)
      claims.push_back(
          {s, uint32_t(from - places.begin()), uint32_t(to - places.begin())});
  }
}

void Order::claimAll() {
  for (EventId id = 0; id < stream.events.size(); ++id) {
    firstClaim.push_back(static_cast<uint32_t>(claims.size()));
    if (isWait(stream.events[id].kind))
      claim(id);
  }
  firstClaim.push_back(static_cast<uint32_t>(claims.size()));
}

/// How many signals of its epoch must have happened when the wait passes. Of
/// tokens, one for each that was surely taken before, and one more.
int64_t Order::needOf(EventId wait) const {
  const Event &event = stream.events[wait];
  if (event.kind != EventKind::Take)
    return progress.need[wait];
  int64_t taken = 0;
  for (const Source &source : takes[event.sync]) {
    std::span<const EventId> others = ofEpoch(source.events, wait);
    taken += std::partition_point(others.begin(), others.end(),
                                  [&](EventId other) {
                                    return other != wait &&
                                           beforeArrival(other, wait);
                                  }) -
             others.begin();
  }
  return taken + 1;
}

/// Whether `wait` cannot have passed without `signal`.
bool Order::holds(EventId wait, EventId signal, int64_t need) const {
  int64_t possible = 0;
  for (const Source &source : signals[stream.events[wait].sync]) {
    std::span<const EventId> others = ofEpoch(source.events, wait);
    possible += std::partition_point(others.begin(), others.end(),
                                     [&](EventId other) {
                                       return other != signal &&
                                              !before(signal, other) &&
                                              !before(wait, other);
                                     }) -
                others.begin();
  }
  return possible < need;
}

/// Shortens the claims of a wait to what holds; whether one did not.
bool Order::dropUnproven(EventId wait) {
  const Event &event = stream.events[wait];
  const Sources &list = signals[event.sync];
  // One source: its n-th signal is the n-th of all.
  if (list.size() == 1 && event.kind != EventKind::Take)
    return false;
  bool dropped = false;
  int64_t need = needOf(wait);
  for (uint32_t c = firstClaim[wait]; c < firstClaim[wait + 1]; ++c) {
    Claim &claim = claims[c];
    auto first = list[claim.source].events.begin();
    auto end = std::partition_point(
        first + claim.begin, first + claim.end,
        [&](EventId signal) { return holds(wait, signal, need); });
    auto proven = static_cast<uint32_t>(end - first);
    dropped |= proven != claim.end;
    claim.end = proven;
  }
  return dropped;
}

bool Order::dropUnproven() {
  bool dropped = false;
  for (EventId wait = 0; wait < stream.events.size(); ++wait)
    if (firstClaim[wait] != firstClaim[wait + 1])
      dropped |= dropUnproven(wait);
  return dropped;
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

/// `event` has completed.
void Order::joinAfter(EventId event, std::vector<uint32_t> &known) const {
  const Event &of = stream.events[event];
  join(known, clock(event));
  known[of.actor] = std::max(known[of.actor], of.position);
}

void Order::fenceQueue(uint32_t queue, EventId fence, int64_t pending,
                       std::vector<uint32_t> &known) const {
  const std::vector<EventId> &entries = stream.actors[queue];
  auto issued =
      std::lower_bound(entries.begin(), entries.end(), fence) - entries.begin();
  if (issued > pending && (pending == 0 || inOrder(queue)))
    joinAfter(entries[issued - pending - 1], known);
}

/// Brings `known`, what the actor of `id` knew after its last event, to the
/// start of `id`.
void Order::startOf(EventId id, std::vector<uint32_t> &known) {
  const Event &event = stream.events[id];
  if (inOrder(event.actor))
    known[event.actor] = event.position - 1;
  uint32_t processor = stream.processor();
  if (event.actor != processor && known[processor] < event.issuedAfter)
    joinAfter(stream.actors[processor][event.issuedAfter - 1], known);
  if (event.kind == EventKind::Fence)
    fenceQueue(event.sync, id, event.value, known);
  if (event.kind == EventKind::FenceAll)
    for (uint32_t queue = 0; queue < stream.queues; ++queue)
      fenceQueue(queue, id, 0, known);
}

void Order::computeClocks() {
  std::vector<std::vector<uint32_t>> known(actors,
                                           std::vector<uint32_t>(actors));
  for (EventId id : progress.order) {
    const Event &event = stream.events[id];
    std::vector<uint32_t> &now = known[event.actor];
    startOf(id, now);
    if (isWait(event.kind))
      std::copy(now.begin(), now.end(),
                arrivals.begin() + size_t(arrivalOf[id]) * actors);
    for (uint32_t c = firstClaim[id]; c < firstClaim[id + 1]; ++c)
      if (claims[c].end > claims[c].begin)
        joinAfter(
            signals[event.sync][claims[c].source].events[claims[c].end - 1],
            now);
    std::copy(now.begin(), now.end(), clocks.begin() + size_t(id) * actors);
  }
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool Order::knows(EventId a, EventId b, std::span<const uint32_t> clock) const {
  const Event &first = stream.events[a], &second = stream.events[b];
  if (clock[first.actor] >= first.position)
    return true;
  if (first.actor != second.actor || first.position >= second.position)
    return false;
  // In one queue that completes in any order: starts are in order, and that is
  // all there is to a wait or a clear; a signal is after all completions.
  return second.kind == EventKind::Signal || isWait(first.kind) ||
         isReset(first.kind);
}

bool Order::before(EventId a, EventId b) const { return knows(a, b, clock(b)); }

bool Order::beforeArrival(EventId a, EventId b) const {
  return knows(a, b, arrival(b));
}
