//===- Timeline.h - queues and engines as discrete events -------*- C++ -*-===//
//
// Every queue runs its entries from the head: commands take their time, signals
// and waits happen in their turn. Time goes from event to event, an event being
// the end of an entry; between two events nothing changes.
//
// Commands that run at the same time share the bandwidth of memories. A command
// that takes `cycles` alone and moves `bytes` of a memory asks for bytes /
// cycles of it; while all of them together ask for more than it has, each goes
// slower in the same proportion.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_SIMULATOR_TIMELINE_H
#define TALLY_RUN_SIMULATOR_TIMELINE_H

#include "tally/emit/isa/Command.h"
#include "tally/emit/isa/Instruction.h"
#include "tally/run/simulator/Fault.h"
#include "tally/run/simulator/SyncState.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tally::simulator {

/// Memory that commands share.
enum class Resource : uint8_t { Global, SramRead, SramWrite };
inline constexpr size_t kResources = 3;

/// What a command costs.
struct Work {
  int64_t cycles = 1; ///< alone on the machine
  std::array<int64_t, kResources> bytes{};
};

/// An instruction in a queue.
struct Entry {
  isa::Instruction instruction;
  uint32_t pc = 0;
  int64_t number = 0; ///< in the order of issue, over all queues
  int64_t sync = -1;  ///< register of signals and waits
  /// Of a counter's wait, known at issue; nothing: it has been reached.
  std::optional<int64_t> threshold;
  uint32_t lateReg = 0; ///< of a threshold that is read late; 0: none
  isa::Command command; ///< of `go`
  uint32_t lateFirst = 0, lateResult = 0; ///< registers of addends read late
  int64_t issued = 0, started = -1;       ///< times in cycles
  /// Extra cycles of this execution: so many, and sixteenths of its own.
  int64_t delay = 0, stretch = 0;
  bool isEarly = false; ///< does its work when it starts

  bool isCommand() const { return instruction.opcode == isa::Opcode::Go; }
};

/// A queue's time, in cycles.
struct QueueTimes {
  int64_t busy = 0;                   ///< at least one entry is running
  int64_t empty = 0;                  ///< nothing to do
  std::map<int64_t, int64_t> waiting; ///< by synchronization register
  /// Of busy: lost because others used the same memory. In 2^-10 cycles.
  int64_t slowed = 0;
  int64_t commands = 0;
};

/// Who does the work of entries.
class Executor {
public:
  virtual ~Executor() = default;
  /// The command starts: what it costs. Nothing: it may run.
  virtual std::optional<Wrong> begin(Entry &entry, Work &work) = 0;
  /// The command's work happens. Nothing: it went well.
  virtual std::optional<Wrong> execute(Entry &entry) = 0;
  /// The value of a scalar register now.
  virtual uint32_t scalar(uint32_t reg) = 0;
  /// The entry has left its queue.
  virtual void completed(const Entry &entry, uint32_t queue, int64_t time) = 0;
};

/// What stopped a run, and where.
struct QueueFault {
  Entry entry;
  uint32_t queue = 0;
  Wrong wrong;
};

class Timeline {
public:
  Timeline(const machine::Machine &machine, SyncState &sync,
           Executor &executor);

  int64_t now() const { return time; }
  /// When the next entry ends; nothing while none runs.
  std::optional<int64_t> nextEvent() const { return next; }
  /// Goes to `target`, not before now(), through all events up to then.
  void advance(int64_t target);

  bool isFull(uint32_t queue) const;
  int64_t pending(uint32_t queue) const { return queues[queue].pending(); }
  bool isEmpty() const;
  void append(uint32_t queue, Entry entry); ///< which must not be full
  /// Looks again at what may start, after a register was reset.
  void settle();

  const std::optional<QueueFault> &fault() const { return firstFault; }
  const QueueTimes &times(uint32_t queue) const { return queues[queue].times; }
  /// The entries of a queue, those that run first.
  std::vector<const Entry *> entries(uint32_t queue) const;
  bool isRunning(uint32_t queue) const {
    return !queues[queue].running.empty();
  }

private:
  struct Running {
    Entry entry;
    Work work;
    int64_t remaining; ///< own cycles, in 2^-30
    int64_t rate;      ///< own cycles each cycle, in 2^-30
  };
  struct Queue {
    std::deque<Entry> waiting; ///< in order; the first is the next to start
    std::vector<Running> running;
    /// Of a queue that completes in any order: signals whose turn has come and
    /// that still wait for earlier commands.
    std::deque<Entry> signals;
    int64_t waitsInRow = 0; ///< passed since the last command
    QueueTimes times;
    int64_t pending() const {
      return int64_t(waiting.size() + running.size() + signals.size());
    }
  };

  void account(int64_t cycles);
  void complete();
  void completeSignals(uint32_t number);
  bool startNext(uint32_t queue);
  bool startEntry(Queue &queue, uint32_t number);
  bool startCommand(Queue &queue, uint32_t number);
  void passWait(Queue &queue, uint32_t number);
  void startClear(Queue &queue, uint32_t number);
  void startSignal(Queue &queue);
  bool mayPass(const Entry &entry);
  void start(Queue &queue, Work work);
  void perform(uint32_t queue, Entry &entry);
  void shareBandwidth();
  void fail(uint32_t queue, const Entry &entry, Wrong wrong);

  const machine::Machine &machine;
  SyncState &sync;
  Executor &executor;
  std::array<int64_t, kResources> capacity; ///< bytes each cycle
  std::vector<Queue> queues;
  int64_t time = 0;
  std::optional<int64_t> next;
  std::optional<QueueFault> firstFault;
};

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_TIMELINE_H
