//===- Poison.cpp - overwrites registers that hold nothing ----------------===//
//
// Two analyses of the draft, over sets of the 32 registers:
//
//   live   backward: read before it is written on some path;
//   busy   forward, for each queue: read late since the last fence of all
//          entries of that queue, on some path.
//
// A register that is neither may be overwritten: at a label, and behind the
// line after which it is live no more.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/routine/Draft.h"

using namespace tally;
using namespace tally::emit;
using isa::Opcode;

static constexpr int64_t kPattern = 0xbad0b;

namespace {
using Registers = uint32_t;          ///< bit r: x[r]
using Busy = std::vector<Registers>; ///< of each queue

class Poisoner {
public:
  Poisoner(const Draft &draft, const machine::Machine &machine);
  Draft run();

private:
  void findLive();
  void findBusy();
  std::vector<size_t> successors(size_t at) const;
  Busy after(size_t at) const;
  void overwrite(Registers registers, Draft &into) const;
  Registers idle(size_t at) const;

  const Draft &draft;
  const machine::Machine &machine;
  Registers pool = 0;
  std::vector<size_t> labels;  ///< places
  std::vector<Registers> live; ///< before each line
  std::vector<Busy> busy;      ///< before each line
};
} // namespace

Poisoner::Poisoner(const Draft &draft, const machine::Machine &machine)
    : draft(draft), machine(machine), live(draft.size()),
      busy(draft.size(), Busy(machine.queues.size())) {
  for (uint32_t reg : machine.processor.scratch)
    pool |= Registers(1) << reg;
  for (size_t at = 0; at < draft.size(); ++at)
    if (draft[at].label) {
      if (*draft[at].label >= labels.size())
        labels.resize(*draft[at].label + 1);
      labels[*draft[at].label] = at;
    }
}

std::vector<size_t> Poisoner::successors(size_t at) const {
  std::vector<size_t> result;
  Opcode opcode = draft[at].line.instruction.opcode;
  bool falls =
      draft[at].label || (opcode != Opcode::Jal && opcode != Opcode::Ecall &&
                          opcode != Opcode::Ebreak);
  if (falls && at + 1 < draft.size())
    result.push_back(at + 1);
  if (draft[at].target)
    result.push_back(labels[*draft[at].target]);
  return result;
}

void Poisoner::findLive() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t at = draft.size(); at-- > 0;) {
      Registers now = 0;
      for (size_t next : successors(at))
        now |= live[next];
      if (!draft[at].label) {
        auto effects = isa::registerEffects(draft[at].line.instruction);
        if (effects.write)
          now &= ~(Registers(1) << *effects.write);
        for (const isa::RegisterRead &read : effects.reads)
          now |= Registers(1) << read.reg;
      }
      changed |= now != live[at];
      live[at] = now;
    }
  }
}

Busy Poisoner::after(size_t at) const {
  Busy result = busy[at];
  if (draft[at].label)
    return result;
  const isa::Instruction &instruction = draft[at].line.instruction;
  if (instruction.opcode == Opcode::Fence)
    return Busy(result.size());
  if (instruction.opcode == Opcode::FenceQueue &&
      instruction.operand(isa::OperandKind::Immediate) == 0)
    result[instruction.operand(isa::OperandKind::Queue)] = 0;
  for (const isa::RegisterRead &read :
       isa::registerEffects(instruction, machine.latchesOperands).reads)
    if (read.time == isa::ReadTime::Late)
      result[instruction.operand(isa::OperandKind::Queue)] |= Registers(1)
                                                              << read.reg;
  return result;
}

void Poisoner::findBusy() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t at = 0; at < draft.size(); ++at) {
      Busy now = after(at);
      for (size_t next : successors(at))
        for (size_t queue = 0; queue < now.size(); ++queue) {
          Registers joined = busy[next][queue] | now[queue];
          changed |= joined != busy[next][queue];
          busy[next][queue] = joined;
        }
    }
  }
}

Registers Poisoner::idle(size_t at) const {
  Registers used = live[at];
  for (Registers late : busy[at])
    used |= late;
  return pool & ~used;
}

void Poisoner::overwrite(Registers registers, Draft &into) const {
  for (; registers != 0; registers &= registers - 1) {
    CodeLine line;
    line.instruction = {Opcode::Lui, {std::countr_zero(registers), kPattern}};
    line.origin = "poison";
    into.push_back({{}, std::move(line), {}});
  }
}

/// Behind a jump there is a label or nothing.
Draft Poisoner::run() {
  findLive();
  findBusy();
  Draft result;
  Registers known = 0; // poisoned, and not written since
  for (size_t at = 0; at < draft.size(); ++at) {
    if (draft[at].label) {
      result.push_back(draft[at]);
      known = 0;
      continue;
    }
    Registers now = idle(at) & ~known;
    overwrite(now, result);
    result.push_back(draft[at]);
    known = idle(at);
    if (auto effects = isa::registerEffects(draft[at].line.instruction);
        effects.write)
      known &= ~(Registers(1) << *effects.write);
  }
  return result;
}

Draft tally::emit::poisoned(const Draft &draft,
                            const machine::Machine &machine) {
  return Poisoner(draft, machine).run();
}
