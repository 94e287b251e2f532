//===- Laws.cpp - what holds of synchronization registers -----------------===//
//
// A reset separates the life of a register into epochs. In one execution each
// signal and each wait falls into one; that it does so in all executions needs
// order at the borders: all of the old epoch before the reset, the reset before
// all of the new one. A wait counts from when it gets to the head of its queue,
// not from when it passes: one that comes too early passes on the old value.
//
// Example: flag f. A: set f; B: test f, clear f; A: set f; C: test f. If
// nothing but f itself holds C, C may see the first set. Epochs: the clear is
// not before C's arrival, so it is rejected.
//
// Borders are looked at once for each actor, as the events of an actor are
// ordered. Cost: events x log(events).
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Laws.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;

namespace {
/// Judges one register.
class RegisterJudge {
public:
  RegisterJudge(const Stream &stream, const machine::Machine &machine,
                const Progress &progress, const Order &order, uint32_t reg)
      : stream(stream), machine(machine), progress(progress), order(order),
        reg(reg) {}
  std::optional<Finding> judge() const;

private:
  /// Events of one actor on the register, as they happened.
  using ByActor = std::vector<std::vector<EventId>>;

  std::optional<Finding> residue() const;
  std::optional<Finding> waiters() const;
  std::optional<Finding> borders() const;
  std::optional<Finding> border(EventId reset, const ByActor &uses) const;
  Finding unordered(EventId reset, EventId use) const;
  std::optional<Finding> takers() const;
  std::optional<Finding> tokenWidth() const;
  std::optional<Finding> modularWidth() const;
  std::optional<Finding> modularWindow(EventId wait, const ByActor &all) const;

  ByActor byActor(const std::vector<EventId> &events) const;
  std::span<const EventId> ofEpoch(const std::vector<EventId> &events,
                                   uint32_t epoch) const;
  std::string name() const { return "register s" + std::to_string(reg); }

  const Stream &stream;
  const machine::Machine &machine;
  const Progress &progress;
  const Order &order;
  uint32_t reg;
};
} // namespace

RegisterJudge::ByActor
RegisterJudge::byActor(const std::vector<EventId> &events) const {
  ByActor result(stream.queues + 1);
  for (EventId id : events)
    result[stream.events[id].actor].push_back(id);
  return result;
}

std::span<const EventId>
RegisterJudge::ofEpoch(const std::vector<EventId> &events,
                       uint32_t epoch) const {
  auto from =
      std::partition_point(events.begin(), events.end(), [&](EventId id) {
        return progress.epoch[id] < epoch;
      });
  auto to = std::partition_point(from, events.end(), [&](EventId id) {
    return progress.epoch[id] == epoch;
  });
  return {from, to};
}

//===----------------------------------------------------------------------===//
// Residue and waiters
//===----------------------------------------------------------------------===//

std::optional<Finding> RegisterJudge::residue() const {
  if (progress.values[reg] == 0)
    return std::nullopt;
  Finding finding;
  finding.rule = Rule::Residue;
  finding.first = progress.signals[reg].back();
  finding.message = name() + " is " + std::to_string(progress.values[reg]) +
                    " at the end, after its last signal";
  finding.hint = machine.sync.kind == machine::SyncKind::Token
                     ? "take every token"
                 : machine.sync.kind == machine::SyncKind::Flag
                     ? "clear the flag when its last waiter has passed"
                     : "reset the counter when its last waiter has passed";
  return finding;
}

/// One waiting queue between two resets, where the file demands it.
std::optional<Finding> RegisterJudge::waiters() const {
  if (machine.sync.multipleWaiters)
    return std::nullopt;
  const std::vector<EventId> &waits = progress.waits[reg];
  for (size_t i = 1; i < waits.size(); ++i) {
    EventId first = waits[i - 1], second = waits[i];
    if (progress.epoch[first] != progress.epoch[second] ||
        stream.events[first].actor == stream.events[second].actor)
      continue;
    Finding finding;
    finding.rule = Rule::Registers;
    finding.first = std::min(first, second);
    finding.second = std::max(first, second);
    finding.message =
        "two queues wait on " + name() + ", which this machine allows one only";
    finding.hint = "signal a register for each waiting queue";
    return finding;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Epochs
//===----------------------------------------------------------------------===//

/// Nothing orders a signal or wait with a reset. Which of them comes first in
/// one execution says little; the order of issue is what was meant.
Finding RegisterJudge::unordered(EventId reset, EventId use) const {
  Finding finding;
  finding.rule = Rule::Epoch;
  finding.first = std::min(reset, use);
  finding.second = std::max(reset, use);
  bool isWaiting = isWait(stream.events[use].kind);
  if (use < reset)
    finding.message = name() + " is reset by the second while the first may " +
                      (isWaiting ? "still wait on it" : "be still to come");
  else if (isWaiting)
    finding.message = "the second may come to its wait, and pass on the old "
                      "value of " +
                      name() + ", before the first resets it";
  else
    finding.message = name() +
                      " may be signalled by the second before the first "
                      "resets it";
  finding.hint = "order both with a signal on another register, or a fence";
  return finding;
}

/// Of the events of each actor, the last before `reset` and the first after.
std::optional<Finding> RegisterJudge::border(EventId reset,
                                             const ByActor &uses) const {
  uint32_t epoch = progress.epoch[reset];
  for (const std::vector<EventId> &events : uses) {
    auto after =
        std::partition_point(events.begin(), events.end(), [&](EventId id) {
          return progress.epoch[id] <= epoch;
        });
    if (after != events.begin() && !order.before(after[-1], reset))
      return unordered(reset, after[-1]);
    if (after == events.end())
      continue;
    bool isAfter = isWait(stream.events[*after].kind)
                       ? order.beforeArrival(reset, *after)
                       : order.before(reset, *after);
    if (!isAfter)
      return unordered(reset, *after);
  }
  return std::nullopt;
}

std::optional<Finding> RegisterJudge::borders() const {
  if (progress.resets[reg].empty())
    return std::nullopt;
  ByActor signals = byActor(progress.signals[reg]);
  ByActor waits = byActor(progress.waits[reg]);
  for (EventId reset : progress.resets[reg]) {
    if (std::optional<Finding> finding = border(reset, signals))
      return finding;
    if (std::optional<Finding> finding = border(reset, waits))
      return finding;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

std::optional<Finding> RegisterJudge::takers() const {
  const std::vector<EventId> &waits = progress.waits[reg];
  for (size_t i = 1; i < waits.size(); ++i) {
    if (stream.events[waits[i - 1]].actor == stream.events[waits[i]].actor ||
        order.beforeArrival(waits[i - 1], waits[i]))
      continue;
    Finding finding;
    finding.rule = Rule::Tokens;
    finding.first = std::min(waits[i - 1], waits[i]);
    finding.second = std::max(waits[i - 1], waits[i]);
    finding.message = "either of the two may take the token of " + name() +
                      " that comes "
                      "first";
    finding.hint = "use a register for each waiting queue";
    return finding;
  }
  return std::nullopt;
}

/// Tokens that may be there when a signal adds one: signals that are not after
/// it, less the takes that are before it.
std::optional<Finding> RegisterJudge::tokenWidth() const {
  const std::vector<EventId> &signals = progress.signals[reg];
  if (int64_t(signals.size()) <= machine.sync.maxValue())
    return std::nullopt;
  ByActor bySource = byActor(signals), byTaker = byActor(progress.waits[reg]);
  for (EventId signal : signals) {
    int64_t most = 0;
    for (const std::vector<EventId> &events : bySource)
      most += std::partition_point(
                  events.begin(), events.end(),
                  [&](EventId id) { return !order.before(signal, id); }) -
              events.begin();
    for (const std::vector<EventId> &events : byTaker)
      most -= std::partition_point(
                  events.begin(), events.end(),
                  [&](EventId id) { return order.before(id, signal); }) -
              events.begin();
    if (most <= machine.sync.maxValue())
      continue;
    Finding finding;
    finding.rule = Rule::Width;
    finding.first = signal;
    finding.message = "the signal may bring " + name() + " to " +
                      std::to_string(most) + " tokens; it holds up to " +
                      std::to_string(machine.sync.maxValue());
    finding.hint = "let the producer wait for the consumer";
    return finding;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Modular comparison
//===----------------------------------------------------------------------===//

/// From the arrival of a wait to its passing the counter is less than half the
/// range away from what it needs.
std::optional<Finding> RegisterJudge::modularWindow(EventId wait,
                                                    const ByActor &all) const {
  int64_t half = (machine.sync.maxValue() + 1) / 2;
  int64_t least = 0, most = 0;
  for (const std::vector<EventId> &source : all) {
    std::span<const EventId> events = ofEpoch(source, progress.epoch[wait]);
    least += std::partition_point(
                 events.begin(), events.end(),
                 [&](EventId id) { return order.beforeArrival(id, wait); }) -
             events.begin();
    most += std::partition_point(
                events.begin(), events.end(),
                [&](EventId id) { return !order.before(wait, id); }) -
            events.begin();
  }
  int64_t need = progress.need[wait];
  if (need - least <= half && most - need < half)
    return std::nullopt;
  Finding finding;
  finding.rule = Rule::Width;
  finding.first = wait;
  finding.message = name() + " may have counted from " + std::to_string(least) +
                    " to " + std::to_string(most) +
                    " signals while the wait is for " + std::to_string(need) +
                    "; comparison tells the order of less than " +
                    std::to_string(half) + " apart";
  return finding;
}

std::optional<Finding> RegisterJudge::modularWidth() const {
  ByActor all = byActor(progress.signals[reg]);
  for (EventId wait : progress.waits[reg])
    if (std::optional<Finding> finding = modularWindow(wait, all))
      return finding;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

std::optional<Finding> RegisterJudge::judge() const {
  const machine::SyncFile &file = machine.sync;
  if (std::optional<Finding> finding = waiters())
    return finding;
  if (std::optional<Finding> finding = borders())
    return finding;
  if (file.kind == machine::SyncKind::Token) {
    if (std::optional<Finding> finding = takers())
      return finding;
    if (std::optional<Finding> finding = tokenWidth())
      return finding;
  }
  if (file.kind == machine::SyncKind::Counter &&
      file.compare == machine::SyncCompare::Modular)
    if (std::optional<Finding> finding = modularWidth())
      return finding;
  return residue();
}

std::optional<Finding>
tally::checker::goesBeyondWidth(const Stream &stream,
                                const machine::Machine &machine,
                                const Progress &progress) {
  if (progress.overflow == kNoEvent)
    return std::nullopt;
  Finding finding;
  finding.rule = Rule::Width;
  finding.first = progress.overflow;
  finding.message = "one signal more than register s" +
                    std::to_string(stream.events[progress.overflow].sync) +
                    " can count; it holds up to " +
                    std::to_string(machine.sync.maxValue());
  finding.hint = machine.sync.kind == machine::SyncKind::Token
                     ? "let the producer wait for the consumer"
                     : "reset the counter before, when its waiters have passed";
  return finding;
}

std::optional<Finding>
tally::checker::breaksLaw(const Stream &stream, const machine::Machine &machine,
                          const Progress &progress, const Order &order) {
  for (uint32_t reg = 0; reg < progress.signals.size(); ++reg)
    if (std::optional<Finding> finding =
            RegisterJudge(stream, machine, progress, order, reg).judge())
      return finding;
  return std::nullopt;
}
