//===- Repeats.cpp - groups of commands that come again -------------------===//
//
// A stream has period p as long as each command is like the one p later: of one
// kind, and with numbers that step by constants.
//
//   commands     L0 M0 S0  L1 M1 S1  L2 M2 S2  L9 M3 S3
//   period 3     -------- three trips --------  the load steps otherwise
//
// For each period two places move on through the stream and never back: up to
// where commands are alike, and up to where steps are equal. A command that
// moves with a number of the context is like no other. Cost: commands x
// periods, most of which end at the first comparison of signatures.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/stream/Repeats.h"

#include "llvm/ADT/Hashing.h"

#include <algorithm>

using namespace tally;
using namespace tally::emit;

static size_t signatureOf(const PlannedCommand &command) {
  size_t hash = llvm::hash_combine(
      command.node, command.command.queue, uint8_t(command.command.code),
      command.drains, command.waits.size(),
      llvm::hash_combine_range(command.clears.begin(), command.clears.end()),
      llvm::hash_combine_range(command.signals.begin(), command.signals.end()));
  for (const PlannedWait &wait : command.waits)
    hash = llvm::hash_combine(hash, wait.reg);
  return hash;
}

RepeatFinder::RepeatFinder(const Stream &stream, const Distances &distances,
                           const machine::Machine &machine)
    : stream(stream), distances(distances), machine(machine),
      alikeUntil(kMostPeriod + 1), steadyUntil(kMostPeriod + 1) {
  for (const PlannedCommand &command : stream.commands)
    signatures.push_back(signatureOf(command));
}

/// Whether there is a form of each wait that says both thresholds (Loop.h).
bool RepeatFinder::areWaitsAlike(size_t a, size_t b) const {
  const auto &one = stream.commands[a].waits, &other = stream.commands[b].waits;
  for (size_t wait = 0; wait < one.size(); ++wait) {
    if (one[wait].reg != other[wait].reg)
      return false;
    if (machine.sync.kind != machine::SyncKind::Counter ||
        one[wait].threshold == other[wait].threshold)
      continue;
    if (!canStep(machine) &&
        !staysBehind(distances[a][wait], distances[b][wait], machine))
      return false;
  }
  return true;
}

bool RepeatFinder::isAlike(size_t a, size_t b) const {
  const PlannedCommand &one = stream.commands[a], &other = stream.commands[b];
  if (!one.moving.empty() || !other.moving.empty())
    return false;
  return signatures[a] == signatures[b] && one.node == other.node &&
         one.command.queue == other.command.queue &&
         one.command.code == other.command.code && one.drains == other.drains &&
         one.waits.size() == other.waits.size() && one.clears == other.clears &&
         one.signals == other.signals && areWaitsAlike(a, b);
}

/// Whether the numbers of three commands, which are alike, step by constants.
bool RepeatFinder::isSteady(size_t at, size_t period) const {
  const PlannedCommand &a = stream.commands[at],
                       &b = stream.commands[at + period],
                       &c = stream.commands[at + 2 * period];
  auto fields =
      static_cast<uint32_t>(isa::allFields(a.command.config.kind()).size());
  for (uint32_t field = 0; field < fields; ++field)
    if (a.command.config.get(field) + c.command.config.get(field) !=
        2 * b.command.config.get(field))
      return false;
  for (size_t wait = 0; wait < a.waits.size(); ++wait)
    if (a.waits[wait].threshold + c.waits[wait].threshold !=
        2 * b.waits[wait].threshold)
      return false;
  return true;
}

void RepeatFinder::advance(size_t first, size_t period) {
  size_t end = stream.commands.size();
  size_t &alike = alikeUntil[period], &steady = steadyUntil[period];
  alike = std::max(alike, first);
  while (alike + period < end && isAlike(alike, alike + period))
    ++alike;
  steady = std::max(steady, first);
  while (steady + period < alike && isSteady(steady, period))
    ++steady;
}

std::vector<Repeat> RepeatFinder::at(size_t first) {
  std::vector<Repeat> repeats;
  for (size_t period = 1; period <= kMostPeriod; ++period) {
    if (alikeUntil[period] <= first || steadyUntil[period] <= first)
      advance(first, period);
    size_t alike = alikeUntil[period] - first;
    size_t steady = steadyUntil[period] - first;
    size_t trips = std::min(alike / period + 1, steady / period + 2);
    if (trips >= 2)
      repeats.push_back({first, period, trips});
  }
  return repeats;
}
