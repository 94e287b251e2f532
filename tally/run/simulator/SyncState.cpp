//===- SyncState.cpp - the synchronization file while it runs -------------===//

#include "tally/run/simulator/SyncState.h"

#include <algorithm>

using namespace tally;
using namespace tally::simulator;
using isa::Opcode;
using machine::SyncCompare;
using machine::SyncKind;

SyncState::SyncState(const machine::Machine &machine)
    : file(machine.sync), queues(int64_t(machine.queues.size())),
      states(size_t(machine.syncRegisters())) {}

std::optional<std::string> SyncState::signal(int64_t reg) {
  int64_t &value = states[size_t(reg)].value;
  if (file.kind == SyncKind::Flag) {
    value = 1;
    return std::nullopt;
  }
  bool isModular =
      file.kind == SyncKind::Counter && file.compare == SyncCompare::Modular;
  if (value == file.maxValue() && !isModular)
    return "synchronization register s" + std::to_string(reg) +
           " has its largest value, " + std::to_string(value) +
           ", and is signalled once more";
  value = value == file.maxValue() ? 0 : value + 1;
  return std::nullopt;
}

bool SyncState::hasReached(int64_t reg, int64_t threshold) const {
  if (file.compare == SyncCompare::Absolute)
    return value(reg) >= threshold;
  uint64_t mask = uint64_t(file.maxValue());
  uint64_t ahead = uint64_t(value(reg) - threshold) & mask;
  return ahead <= mask >> 1;
}

static std::string name(int64_t reg) {
  return "synchronization register s" + std::to_string(reg);
}

static bool isWait(Opcode opcode) {
  return opcode != Opcode::Signal && opcode != Opcode::Clear;
}

/// The kind of file that has the instruction.
static SyncKind kindOf(Opcode opcode, SyncKind kind) {
  switch (opcode) {
  case Opcode::WaitGe:
  case Opcode::WaitGeR:
  case Opcode::WaitRel:
    return SyncKind::Counter;
  case Opcode::Take:
    return SyncKind::Token;
  case Opcode::Test:
  case Opcode::Clear:
    return SyncKind::Flag;
  default:
    return kind;
  }
}

std::optional<std::string> SyncState::checkKind(Opcode opcode) const {
  std::string mnemonic(isa::infoOf(opcode).mnemonic);
  if (kindOf(opcode, file.kind) != file.kind)
    return "the machine's synchronization registers do not take " + mnemonic;
  if ((opcode == Opcode::WaitRel && !file.relativeWaits) ||
      (opcode == Opcode::WaitGeR && !file.scalarThresholds))
    return "the machine has no " + mnemonic;
  return std::nullopt;
}

std::optional<std::string> SyncState::checkOwner(Opcode opcode, int64_t reg,
                                                 uint32_t queue) const {
  if (file.key == machine::SyncKey::Global)
    return std::nullopt;
  int64_t pair = reg / file.count; // source, or source and destination
  bool hasPairs = file.key == machine::SyncKey::SourceDestination;
  int64_t source = hasPairs ? pair / queues : pair;
  if (opcode == Opcode::Signal && source != queue)
    return name(reg) + " is signalled by queue " + std::to_string(source) +
           " alone";
  if (hasPairs && isWait(opcode) && pair % queues != queue)
    return name(reg) + " is waited on by queue " +
           std::to_string(pair % queues) + " alone";
  return std::nullopt;
}

std::optional<std::string> SyncState::admit(Opcode opcode, int64_t reg,
                                            uint32_t queue) {
  if (reg >= registers())
    return name(reg) + " does not exist: there are " +
           std::to_string(registers());
  if (std::ranges::count(file.reserved, uint32_t(reg % file.count)))
    return name(reg) + " is reserved";
  if (auto wrong = checkKind(opcode))
    return wrong;
  if (auto wrong = checkOwner(opcode, reg, queue))
    return wrong;
  std::optional<uint32_t> &waiter = states[size_t(reg)].waiter;
  if (!isWait(opcode))
    return std::nullopt;
  if (!file.multipleWaiters && waiter && *waiter != queue)
    return name(reg) + " has a second waiting queue since its reset, the "
                       "machine allows one";
  waiter = queue;
  return std::nullopt;
}
