//===- Schedule.cpp - an execution that shows what is wrong ---------------===//
//
// `first` is held at the head of its queue and everything else goes on as far
// as it can. If `second` completes, it overtook. From that execution, only what
// the two need is kept: of each actor a prefix, the signals that let waits
// pass, what fences wait for.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Schedule.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;

namespace {
/// Collects, for each actor, how far it must go.
class Slice {
public:
  Slice(const Stream &stream, const Progress &progress)
      : stream(stream), progress(progress), needed(stream.queues + 1) {}

  void need(EventId id);
  bool holds(EventId id) const {
    const Event &event = stream.events[id];
    return event.position <= needed[event.actor];
  }

private:
  void needActor(uint32_t actor, uint32_t count);
  void needCauses(EventId id);
  void needSignals(EventId wait);
  void needFenced(uint32_t queue, EventId fence, int64_t pending);

  const Stream &stream;
  const Progress &progress;
  std::vector<uint32_t> needed;
  std::vector<EventId> open; ///< whose causes are to be added
};
} // namespace

void Slice::needActor(uint32_t actor, uint32_t count) {
  for (; needed[actor] < count; ++needed[actor])
    open.push_back(stream.actors[actor][needed[actor]]);
}

/// The first signals of the epoch, as many as the wait needed, and the reset
/// that began it.
void Slice::needSignals(EventId wait) {
  const Event &event = stream.events[wait];
  uint32_t epoch = progress.epoch[wait];
  if (epoch > 0) {
    const Event &reset = stream.events[progress.resets[event.sync][epoch - 1]];
    needActor(reset.actor, reset.position);
  }
  const std::vector<EventId> &signals = progress.signals[event.sync];
  auto first =
      std::partition_point(signals.begin(), signals.end(), [&](EventId id) {
        return progress.epoch[id] < epoch;
      });
  for (auto i = first; i < signals.end() && i - first < progress.need[wait];
       ++i)
    needActor(stream.events[*i].actor, stream.events[*i].position);
}

void Slice::needFenced(uint32_t queue, EventId fence, int64_t pending) {
  const std::vector<EventId> &entries = stream.actors[queue];
  int64_t issued =
      std::lower_bound(entries.begin(), entries.end(), fence) - entries.begin();
  needActor(queue,
            static_cast<uint32_t>(std::max<int64_t>(issued - pending, 0)));
}

void Slice::needCauses(EventId id) {
  const Event &event = stream.events[id];
  needActor(stream.processor(), event.issuedAfter);
  if (isWait(event.kind))
    needSignals(id);
  if (event.kind == EventKind::Fence)
    needFenced(event.sync, id, event.value);
  if (event.kind == EventKind::FenceAll)
    for (uint32_t queue = 0; queue < stream.queues; ++queue)
      needFenced(queue, id, 0);
}

/// All that comes before `id`, and it.
void Slice::need(EventId id) {
  needActor(stream.events[id].actor, stream.events[id].position);
  while (!open.empty()) {
    EventId next = open.back();
    open.pop_back();
    needCauses(next);
  }
}

std::optional<Schedule>
tally::checker::overtaking(const Stream &stream,
                           const machine::Machine &machine, EventId first,
                           EventId second) {
  for (bool unlimited : {false, true}) {
    Progress progress = advance(stream, machine, {unlimited, first, second});
    if (progress.order.empty() || progress.order.back() != second)
      continue;
    Slice slice(stream, progress);
    slice.need(second);
    Schedule schedule;
    schedule.needsDepth = unlimited;
    // `first` needs its place at the head of its queue, so what is before it
    // in the queue; it is not in the order, as it was held.
    slice.need(first);
    for (EventId id : progress.order)
      if (slice.holds(id))
        schedule.order.push_back(id);
    return schedule;
  }
  return std::nullopt;
}
