//===- Loop.cpp - groups of commands as the body of a loop ----------------===//
//
// Numbers with equal steps are sums of one register and a constant; where there
// are registers left, those that lie close together get one of their own, so
// that the sum is one instruction:
//
//   in.offset   0, 512, 1024      x6 = 0       x6 += 512 each trip
//   out.offset 64, 576, 1088      x6 + 64
//   src.offset  0, 4096, 8192     x7 = 0       x7 += 4096
//
// All registers live as long as the loop, beside its counter and one temporary;
// a loop with more steps than that is none. What queues read late may not step
// while they wait, so a threshold in a register takes a machine that latches
// operands; others count from the signals issued so far.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/stream/Loop.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

using namespace tally;
using namespace tally::emit;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Distances tally::emit::distancesOf(const Stream &stream,
                                   const machine::Machine &machine) {
  Distances distances(stream.commands.size());
  bool counts = machine.sync.kind == machine::SyncKind::Counter;
  std::vector<int64_t> issued(machine.syncRegisters());
  for (size_t i = 0; i < stream.commands.size(); ++i) {
    const PlannedCommand &command = stream.commands[i];
    if (command.drains)
      std::ranges::fill(issued, 0);
    for (const PlannedWait &wait : command.waits)
      distances[i].push_back(counts ? issued[wait.reg] - wait.threshold : 0);
    for (uint32_t reg : command.signals)
      ++issued[reg];
  }
  return distances;
}

Progression tally::emit::fieldOf(const Stream &stream, const Repeat &repeat,
                                 size_t place, uint32_t field) {
  size_t at = repeat.first + place;
  int64_t start = stream.commands[at].command.config.get(field);
  int64_t next = stream.commands[at + repeat.period].command.config.get(field);
  return {start, next - start};
}

static size_t fieldsOf(const PlannedCommand &command) {
  return isa::allFields(command.command.config.kind()).size();
}

std::vector<KeptField> tally::emit::keptFields(const Stream &stream,
                                               const Repeat &repeat) {
  std::map<uint32_t, std::pair<size_t, size_t>> ends; // of each queue's places
  for (size_t place = 0; place < repeat.period; ++place) {
    uint32_t queue = stream.commands[repeat.first + place].command.queue;
    ends.try_emplace(queue, place, place).first->second.second = place;
  }
  std::vector<KeptField> kept;
  for (auto [queue, places] : ends)
    for (uint32_t field = 0;
         field < fieldsOf(stream.commands[repeat.first + places.first]);
         ++field) {
      Progression begin = fieldOf(stream, repeat, places.first, field);
      Progression end = fieldOf(stream, repeat, places.second, field);
      if (begin.isConstant() && begin == end)
        kept.push_back({queue, field, begin.start});
    }
  return kept;
}

/// The operand of wait.rel has 10 bits.
static constexpr int64_t kMostBehind = 1023;

bool tally::emit::staysBehind(int64_t one, int64_t other,
                              const machine::Machine &machine) {
  return machine.sync.relativeWaits && one == other && 0 <= one &&
         one <= kMostBehind;
}

bool tally::emit::canStep(const machine::Machine &machine) {
  return !machine.sync.relativeWaits && machine.latchesOperands &&
         machine.sync.scalarThresholds;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// What an addi adds at most, and as much below 0.
static constexpr int64_t kMostPlus = 2047;

namespace {
/// Finds registers for progressions, which come in any order.
class Inductions {
public:
  void need(const Progression &progression) {
    starts[progression.step].push_back(progression.start);
  }
  /// Once all are known; false if there are more steps than registers.
  bool choose(size_t registers);
  InductionUse use(const Progression &progression) const;

  std::vector<Progression> chosen;

private:
  /// Numbers of one step that an addi makes of the first trip's `start`.
  struct Cluster {
    Progression numbers;
    std::ptrdiff_t uses = 0;
  };
  std::vector<Cluster> clusters() const;

  std::map<int64_t, std::vector<int64_t>> starts; // by step
};
} // namespace

/// Each cluster starts with the largest number within reach of the least that
/// is in none.
std::vector<Inductions::Cluster> Inductions::clusters() const {
  std::vector<Cluster> clusters;
  for (auto [step, numbers] : starts) {
    std::ranges::sort(numbers);
    for (auto next = numbers.begin(); next != numbers.end();) {
      auto beyond = std::upper_bound(next, numbers.end(), *next + kMostPlus);
      int64_t start = *std::prev(beyond);
      auto end = std::upper_bound(beyond, numbers.end(), start + kMostPlus);
      clusters.push_back({{start, step}, end - next});
      next = end;
    }
  }
  std::ranges::sort(clusters, [](const Cluster &a, const Cluster &b) {
    return std::tuple(-a.uses, a.numbers.step, a.numbers.start) <
           std::tuple(-b.uses, b.numbers.step, b.numbers.start);
  });
  return clusters;
}

bool Inductions::choose(size_t registers) {
  if (starts.size() > registers)
    return false;
  size_t spare = registers - starts.size();
  std::set<int64_t> served;
  for (const Cluster &cluster : clusters()) {
    bool isFirst = served.insert(cluster.numbers.step).second;
    if (!isFirst && spare == 0)
      continue;
    chosen.push_back(cluster.numbers);
    spare -= isFirst ? 0 : 1;
  }
  return true;
}

InductionUse Inductions::use(const Progression &progression) const {
  std::optional<InductionUse> best;
  for (uint32_t i = 0; i < chosen.size(); ++i) {
    int64_t plus = progression.start - chosen[i].start;
    if (chosen[i].step != progression.step)
      continue;
    if (!best || std::abs(plus) < std::abs(int64_t(best->plus)))
      best = {i, static_cast<int32_t>(plus)};
  }
  return *best;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
class LoopMaker {
public:
  LoopMaker(const Stream &stream, const Distances &distances,
            const Repeat &repeat, const machine::Machine &machine)
      : stream(stream), distances(distances), machine(machine),
        loop{repeat, {}, std::vector<LoopPlace>(repeat.period)} {}
  std::optional<Loop> run();

private:
  const PlannedCommand &commandAt(size_t place) const {
    return stream.commands[loop.repeat.first + place];
  }
  Progression thresholdOf(size_t place, size_t wait) const;
  void chooseForms(size_t place);
  void needFields(size_t place);
  void useFields(size_t place);
  void useThresholds(size_t place);

  const Stream &stream;
  const Distances &distances;
  const machine::Machine &machine;
  Loop loop;
  Inductions inductions;
  /// What each queue holds from the place before, where it steps.
  std::map<std::pair<uint32_t, uint32_t>, Progression> held;
};
} // namespace

Progression LoopMaker::thresholdOf(size_t place, size_t wait) const {
  const Repeat &repeat = loop.repeat;
  size_t at = repeat.first + place;
  int64_t start = stream.commands[at].waits[wait].threshold;
  int64_t next = stream.commands[at + repeat.period].waits[wait].threshold;
  return {start, next - start};
}

void LoopMaker::chooseForms(size_t place) {
  const PlannedCommand &command = commandAt(place);
  size_t at = loop.repeat.first + place;
  for (size_t wait = 0; wait < command.waits.size(); ++wait) {
    LoopWait chosen;
    chosen.behind = distances[at][wait];
    Progression threshold = thresholdOf(place, wait);
    bool steps = machine.sync.kind == machine::SyncKind::Counter &&
                 !threshold.isConstant();
    if (steps && staysBehind(chosen.behind,
                             distances[at + loop.repeat.period][wait], machine))
      chosen.form = WaitForm::Behind;
    else if (steps)
      chosen.form = WaitForm::Register;
    if (chosen.form == WaitForm::Register)
      inductions.need(threshold);
    loop.places[place].waits.push_back(chosen);
  }
}

void LoopMaker::needFields(size_t place) {
  for (uint32_t field = 0; field < fieldsOf(commandAt(place)); ++field) {
    Progression number = fieldOf(stream, loop.repeat, place, field);
    if (number.isConstant())
      continue;
    loop.places[place].stepping.push_back(field);
    inductions.need(number);
  }
}

void LoopMaker::useFields(size_t place) {
  uint32_t queue = commandAt(place).command.queue;
  for (uint32_t field : loop.places[place].stepping) {
    Progression number = fieldOf(stream, loop.repeat, place, field);
    auto [held, isNew] = this->held.try_emplace({queue, field}, number);
    if (!isNew && held->second == number)
      continue;
    held->second = number;
    loop.places[place].staged.push_back({field, inductions.use(number)});
  }
  for (uint32_t field = 0; field < fieldsOf(commandAt(place)); ++field)
    if (fieldOf(stream, loop.repeat, place, field).isConstant())
      held.erase({queue, field});
}

void LoopMaker::useThresholds(size_t place) {
  auto &waits = loop.places[place].waits;
  for (size_t wait = 0; wait < waits.size(); ++wait)
    if (waits[wait].form == WaitForm::Register)
      waits[wait].threshold = inductions.use(thresholdOf(place, wait));
}

std::optional<Loop> LoopMaker::run() {
  for (size_t place = 0; place < loop.repeat.period; ++place) {
    chooseForms(place);
    needFields(place);
  }
  constexpr size_t beside = 2; // counter and temporary
  size_t registers = machine.processor.scratch.size();
  if (registers < beside || !inductions.choose(registers - beside))
    return std::nullopt;
  loop.inductions = inductions.chosen;
  for (size_t place = 0; place < loop.repeat.period; ++place) {
    useFields(place);
    useThresholds(place);
  }
  return std::move(loop);
}

std::optional<Loop> tally::emit::makeLoop(const Stream &stream,
                                          const Distances &distances,
                                          const Repeat &repeat,
                                          const machine::Machine &machine) {
  return LoopMaker(stream, distances, repeat, machine).run();
}
