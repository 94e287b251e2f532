//===- Progress.cpp - one untimed execution of a stream -------------------===//
//
// Actors take turns; each goes on until it is blocked, and a turn in which no
// actor moved is the last. An event costs a constant, a turn the number of
// actors; each turn but the last moves an event, mostly many.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Progress.h"

using namespace tally;
using namespace tally::checker;

namespace {
class Runner {
public:
  Runner(const Stream &stream, const machine::Machine &machine,
         const ProgressOptions &options);
  Progress run();

private:
  bool advanceProcessor();
  bool advanceQueue(uint32_t queue);
  bool canIssue(const Event &event) const;
  bool canPass(const Event &event) const;
  bool fencePasses(uint32_t queue, int64_t pending) const;
  bool reached(const Event &event) const;
  int64_t modulo(int64_t value) const;
  int32_t needOf(const Event &event) const;
  void complete(EventId id);
  void signal(EventId id, const Event &event);
  void pass(EventId id, const Event &event);
  void reset(EventId id, const Event &event);

  const Stream &stream;
  const machine::Machine &machine;
  ProgressOptions options;
  Progress progress;
  std::vector<uint32_t> counted; ///< signals of the epoch, of each register
  EventId next = 0;              ///< to be issued
  bool goalReached = false;
};
} // namespace

Runner::Runner(const Stream &stream, const machine::Machine &machine,
               const ProgressOptions &options)
    : stream(stream), machine(machine), options(options) {
  auto registers = static_cast<size_t>(machine.syncRegisters());
  progress.order.reserve(stream.events.size());
  progress.signals.resize(registers);
  progress.waits.resize(registers);
  progress.resets.resize(registers);
  progress.epoch.resize(stream.events.size());
  progress.need.resize(stream.events.size());
  progress.completed.resize(stream.queues);
  progress.issued.resize(stream.queues);
  progress.values.resize(registers);
  counted.resize(registers);
}

bool Runner::fencePasses(uint32_t queue, int64_t pending) const {
  return progress.issued[queue] - progress.completed[queue] <= pending;
}

/// Whether the processor gets past `event`.
bool Runner::canIssue(const Event &event) const {
  if (event.actor != stream.processor())
    return options.unlimitedDepth ||
           fencePasses(event.actor, machine.engineOf(event.actor).depth - 1);
  if (event.kind == EventKind::Fence)
    return fencePasses(event.sync, event.value);
  if (event.kind != EventKind::FenceAll)
    return true;
  for (uint32_t queue = 0; queue < stream.queues; ++queue)
    if (!fencePasses(queue, 0))
      return false;
  return true;
}

/// In the range of a register.
int64_t Runner::modulo(int64_t value) const {
  int64_t modulus = machine.sync.maxValue() + 1;
  return (value % modulus + modulus) % modulus;
}

bool Runner::reached(const Event &event) const {
  int64_t distance = progress.values[event.sync] - event.value;
  if (machine.sync.compare == machine::SyncCompare::Absolute)
    return distance >= 0;
  return modulo(distance) <= machine.sync.maxValue() / 2;
}

/// Whether the entry at the head of its queue completes.
bool Runner::canPass(const Event &event) const {
  if (event.kind == EventKind::Reach)
    return reached(event);
  if (event.kind == EventKind::Take || event.kind == EventKind::Test)
    return progress.values[event.sync] > 0;
  return true;
}

void Runner::signal(EventId id, const Event &event) {
  int64_t &value = progress.values[event.sync];
  progress.signals[event.sync].push_back(id);
  ++counted[event.sync];
  const machine::SyncFile &file = machine.sync;
  if (file.kind == machine::SyncKind::Flag) {
    value = 1;
    return;
  }
  bool wraps = file.kind == machine::SyncKind::Counter &&
               file.compare == machine::SyncCompare::Modular;
  if (value < file.maxValue())
    ++value;
  else if (wraps)
    value = 0;
  else if (progress.overflow == kNoEvent)
    progress.overflow = id;
}

/// How many signals of this epoch a wait that passes has needed.
int32_t Runner::needOf(const Event &event) const {
  int64_t value = progress.values[event.sync];
  if (event.kind == EventKind::Test)
    return 1;
  if (event.kind == EventKind::Take)
    return static_cast<int32_t>(counted[event.sync] - value + 1);
  int64_t past = value - event.value;
  if (machine.sync.compare == machine::SyncCompare::Modular)
    past = modulo(past);
  return static_cast<int32_t>(counted[event.sync] - past);
}

void Runner::pass(EventId id, const Event &event) {
  progress.need[id] = needOf(event);
  progress.values[event.sync] -= event.kind == EventKind::Take;
  progress.waits[event.sync].push_back(id);
}

void Runner::reset(EventId id, const Event &event) {
  progress.values[event.sync] = 0;
  counted[event.sync] = 0;
  progress.resets[event.sync].push_back(id);
}

void Runner::complete(EventId id) {
  const Event &event = stream.events[id];
  bool isOnRegister = event.kind == EventKind::Signal || isWait(event.kind) ||
                      isReset(event.kind);
  if (isOnRegister)
    progress.epoch[id] =
        static_cast<uint32_t>(progress.resets[event.sync].size());
  if (event.kind == EventKind::Signal)
    signal(id, event);
  else if (isWait(event.kind))
    pass(id, event);
  else if (isReset(event.kind))
    reset(id, event);
  progress.order.push_back(id);
  goalReached |= id == options.goal;
}

bool Runner::advanceProcessor() {
  EventId before = next;
  for (; next < stream.events.size() && !goalReached; ++next) {
    const Event &event = stream.events[next];
    if (!canIssue(event))
      break;
    if (event.actor != stream.processor())
      ++progress.issued[event.actor];
    else if (next == options.held)
      break;
    else
      complete(next);
  }
  return next != before;
}

bool Runner::advanceQueue(uint32_t queue) {
  const std::vector<EventId> &entries = stream.actors[queue];
  uint32_t &done = progress.completed[queue];
  uint32_t before = done;
  while (done < progress.issued[queue] && !goalReached) {
    EventId id = entries[done];
    if (id == options.held || !canPass(stream.events[id]))
      break;
    ++done;
    complete(id);
  }
  return done != before;
}

Progress Runner::run() {
  for (bool moved = true; moved && !goalReached;) {
    moved = advanceProcessor();
    for (uint32_t queue = 0; queue < stream.queues; ++queue)
      moved |= advanceQueue(queue);
  }
  if (next < stream.events.size())
    progress.processorAt = next;
  return std::move(progress);
}

Progress tally::checker::advance(const Stream &stream,
                                 const machine::Machine &machine,
                                 const ProgressOptions &options) {
  return Runner(stream, machine, options).run();
}
