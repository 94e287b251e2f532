//===- Timeline.cpp - queues and engines as discrete events ---------------===//
//
// Running entries are a fluid: each has an amount of its own cycles left and
// goes at a rate of at most 1, which changes only when an entry starts or ends.
// So the next event is the least of now + left / rate, and time jumps there.
//
// Example: two DMAs of 100 cycles and 3200 bytes each, global memory of 32
// bytes a cycle. Each asks for 32, together 64, so both go at rate 1/2 and end
// at 200. One that asks for no global memory beside them still takes its own
// time.
//
// Amounts and rates are integers in units of 2^-30, so that a run is the same
// on every host. Cost: O(queues) for each event.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/Timeline.h"

#include <algorithm>

using namespace tally;
using namespace tally::simulator;
using isa::Opcode;

/// One cycle, or the rate of a command that nothing slows.
static constexpr int64_t kOne = int64_t(1) << 30;

Timeline::Timeline(const machine::Machine &machine, SyncState &sync,
                   Executor &executor)
    : machine(machine), sync(sync), executor(executor),
      capacity{machine.global.bytesPerCycle,
               machine.sram.readPorts * machine.sram.readBytesPerCycle,
               machine.sram.writePorts * machine.sram.writeBytesPerCycle},
      queues(machine.queues.size()) {}

void Timeline::fail(uint32_t queue, const Entry &entry, Wrong wrong) {
  if (!firstFault)
    firstFault = {entry, queue, std::move(wrong)};
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

void Timeline::account(int64_t cycles) {
  for (Queue &queue : queues) {
    if (!queue.running.empty()) {
      queue.times.busy += cycles;
      queue.times.slowed += cycles * (kOne - queue.running.front().rate) >> 20;
      for (Running &running : queue.running)
        running.remaining -= running.rate * cycles;
    } else if (queue.waiting.empty()) {
      queue.times.empty += cycles;
    } else {
      queue.times.waiting[queue.waiting.front().sync] += cycles;
    }
  }
  time += cycles;
}

void Timeline::advance(int64_t target) {
  while (next && *next <= target && !firstFault) {
    account(*next - time);
    complete();
    settle();
  }
  if (!firstFault && target > time)
    account(target - time);
}

/// What a running entry is short of, in proportion: 2^-30 of the full rate.
static int64_t rateUnder(const std::array<int64_t, kResources> &limits,
                         const Work &work) {
  int64_t rate = kOne;
  for (size_t i = 0; i < kResources; ++i)
    if (work.bytes[i] > 0)
      rate = std::min(rate, limits[i]);
  return rate;
}

void Timeline::shareBandwidth() {
  std::array<__int128, kResources> demand{}; // in 2^-30 bytes each cycle
  for (const Queue &queue : queues)
    for (const Running &running : queue.running)
      for (size_t i = 0; i < kResources; ++i)
        demand[i] +=
            (__int128(running.work.bytes[i]) << 30) / running.work.cycles;
  std::array<int64_t, kResources> limits;
  for (size_t i = 0; i < kResources; ++i) {
    __int128 offered = __int128(capacity[i]) << 30;
    limits[i] =
        demand[i] > offered ? int64_t((offered << 30) / demand[i]) : kOne;
    limits[i] = std::max<int64_t>(limits[i], 1);
  }
  next.reset();
  for (Queue &queue : queues)
    for (Running &running : queue.running) {
      running.rate = rateUnder(limits, running.work);
      int64_t left = std::max<int64_t>(running.remaining, 0);
      int64_t end = time + (left + running.rate - 1) / running.rate;
      next = next ? std::min(*next, end) : end;
    }
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

void Timeline::perform(uint32_t queue, Entry &entry) {
  std::optional<Wrong> wrong;
  switch (entry.instruction.opcode) {
  case Opcode::Go:
    wrong = executor.execute(entry);
    break;
  case Opcode::Signal:
    if (auto message = sync.signal(entry.sync))
      wrong = {rule::kOverflow, std::move(*message)};
    break;
  case Opcode::Clear:
    sync.clear(entry.sync);
    break;
  default: // A wait has happened when it passed.
    return;
  }
  if (wrong)
    fail(queue, entry, std::move(*wrong));
}

void Timeline::complete() {
  // All that ends now, in the order of issue: a fixed order of equals.
  std::vector<std::pair<uint32_t, Entry>> ended;
  for (uint32_t number = 0; number < queues.size(); ++number) {
    auto &running = queues[number].running;
    for (Running &r : running)
      if (r.remaining <= 0)
        ended.emplace_back(number, std::move(r.entry));
    std::erase_if(running, [](const Running &r) { return r.remaining <= 0; });
  }
  std::ranges::sort(ended, {}, [](const auto &e) { return e.second.number; });
  for (auto &[number, entry] : ended) {
    if (!entry.isEarly)
      perform(number, entry);
    executor.completed(entry, number, time);
  }
  for (uint32_t number = 0; number < queues.size(); ++number)
    completeSignals(number);
}

/// Signals of a queue out of order, once all before them have completed.
void Timeline::completeSignals(uint32_t number) {
  Queue &queue = queues[number];
  auto isEarlier = [&](const Running &running) {
    return running.entry.number < queue.signals.front().number;
  };
  while (!queue.signals.empty() &&
         std::ranges::none_of(queue.running, isEarlier)) {
    perform(number, queue.signals.front());
    executor.completed(queue.signals.front(), number, time);
    queue.signals.pop_front();
  }
}

bool Timeline::mayPass(const Entry &entry) {
  switch (entry.instruction.opcode) {
  case Opcode::WaitGe:
  case Opcode::WaitRel:
    return !entry.threshold || sync.hasReached(entry.sync, *entry.threshold);
  case Opcode::WaitGeR:
    return sync.hasReached(entry.sync, entry.lateReg
                                           ? executor.scalar(entry.lateReg)
                                           : *entry.threshold);
  case Opcode::Take:
  case Opcode::Test:
    return sync.value(entry.sync) > 0;
  default:
    return true;
  }
}

static bool isWait(Opcode opcode) {
  return opcode == Opcode::WaitGe || opcode == Opcode::WaitGeR ||
         opcode == Opcode::WaitRel || opcode == Opcode::Take ||
         opcode == Opcode::Test;
}

void Timeline::start(Queue &queue, Work work) {
  Entry entry = std::move(queue.waiting.front());
  queue.waiting.pop_front();
  entry.started = time;
  work.cycles = std::max<int64_t>(work.cycles, 1);
  work.cycles += entry.delay + work.cycles * entry.stretch / 16;
  queue.running.push_back({std::move(entry), work, work.cycles * kOne, kOne});
}

bool Timeline::startCommand(Queue &queue, uint32_t number) {
  Entry &entry = queue.waiting.front();
  queue.waitsInRow = 0;
  ++queue.times.commands;
  Work work;
  if (auto wrong = executor.begin(entry, work)) {
    fail(number, entry, std::move(*wrong));
    return false;
  }
  if (entry.isEarly)
    perform(number, entry);
  start(queue, work);
  return true;
}

/// A wait whose condition holds: it is over at once, or takes a cycle.
void Timeline::passWait(Queue &queue, uint32_t number) {
  Entry &entry = queue.waiting.front();
  if (entry.instruction.opcode == Opcode::Take)
    sync.take(entry.sync);
  if (++queue.waitsInRow > machine.sync.waitsPerCommand)
    return start(queue, {1, {}});
  entry.started = time;
  executor.completed(entry, number, time);
  queue.waiting.pop_front();
}

/// A clear acts when it starts, so that no wait behind it in a queue out of
/// order passes by what it clears.
void Timeline::startClear(Queue &queue, uint32_t number) {
  Entry &entry = queue.waiting.front();
  entry.isEarly = true;
  perform(number, entry);
  start(queue, {isa::cyclesOf(Opcode::Clear, machine), {}});
}

/// A signal takes its time, but one out of order first waits apart for what is
/// before it.
void Timeline::startSignal(Queue &queue) {
  Entry &entry = queue.waiting.front();
  if (queue.running.empty())
    return start(queue, {isa::cyclesOf(Opcode::Signal, machine), {}});
  entry.started = time;
  queue.signals.push_back(std::move(entry));
  queue.waiting.pop_front();
}

/// Starts the queue's first entry if it may start; false if it may not.
bool Timeline::startEntry(Queue &queue, uint32_t number) {
  const Entry &entry = queue.waiting.front();
  bool isOrdered = machine.engineOf(number).inOrder;
  if ((isOrdered && !queue.running.empty()) || !mayPass(entry))
    return false;
  if (entry.isCommand())
    return startCommand(queue, number);
  if (isWait(entry.instruction.opcode))
    passWait(queue, number);
  else if (entry.instruction.opcode == Opcode::Clear)
    startClear(queue, number);
  else
    startSignal(queue);
  return true;
}

bool Timeline::startNext(uint32_t number) {
  Queue &queue = queues[number];
  bool hasStarted = false;
  while (!queue.waiting.empty() && !firstFault && startEntry(queue, number))
    hasStarted = true;
  return hasStarted;
}

void Timeline::settle() {
  // A token that one queue takes, or a wait that passes, never lets another
  // queue start, so that one pass is enough.
  for (uint32_t number = 0; number < queues.size(); ++number)
    startNext(number);
  shareBandwidth();
}

void Timeline::append(uint32_t queue, Entry entry) {
  entry.issued = time;
  queues[queue].waiting.push_back(std::move(entry));
  if (startNext(queue))
    shareBandwidth();
}

bool Timeline::isFull(uint32_t queue) const {
  return pending(queue) >= machine.engineOf(queue).depth;
}

bool Timeline::isEmpty() const {
  return std::ranges::all_of(queues,
                             [](const Queue &q) { return q.pending() == 0; });
}

std::vector<const Entry *> Timeline::entries(uint32_t queue) const {
  std::vector<const Entry *> all;
  for (const Running &running : queues[queue].running)
    all.push_back(&running.entry);
  for (const Entry &entry : queues[queue].signals)
    all.push_back(&entry);
  for (const Entry &entry : queues[queue].waiting)
    all.push_back(&entry);
  return all;
}
