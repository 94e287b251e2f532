//===- Effects.cpp - the bytes a command reads and writes -----------------===//

#include "tally/emit/isa/Effects.h"
#include "tally/emit/isa/Operands.h"

using namespace tally;
using namespace tally::isa;
using machine::EngineKind;

std::vector<Operand> tally::isa::operandsOf(const Command &command,
                                            const machine::Machine &machine) {
  switch (command.info().kind) {
  case EngineKind::Dma:
    return dmaOperands(command);
  case EngineKind::Matrix:
    return matrixOperands(command, machine.engineOf(command.queue).matrix);
  case EngineKind::Vector:
    return vectorOperands(command);
  }
  return {};
}

std::vector<Access> tally::isa::effects(const Command &command,
                                        const machine::Machine &machine) {
  std::vector<Access> accesses;
  for (Operand &operand : operandsOf(command, machine))
    accesses.push_back(std::move(operand.access));
  return accesses;
}

std::optional<Access> tally::isa::effects(const Instruction &instruction,
                                          uint32_t rs1) {
  if (instruction.opcode != Opcode::Lw && instruction.opcode != Opcode::Sw)
    return std::nullopt;
  Access access;
  access.kind =
      instruction.opcode == Opcode::Lw ? AccessKind::Read : AccessKind::Write;
  access.time = AccessTime::Issue;
  access.operand = "context";
  access.space = kContextRegion;
  auto offset = uint32_t(instruction.operand(OperandKind::Immediate));
  Box box;
  box.offset = int64_t(uint32_t(rs1 + offset));
  box.bytes = 4;
  access.boxes.push_back(box);
  return access;
}

SyncEffect tally::isa::syncEffectOf(Opcode opcode) {
  switch (opcode) {
  case Opcode::Signal:
    return SyncEffect::Signal;
  case Opcode::WaitGe:
  case Opcode::WaitGeR:
    return SyncEffect::Reach;
  case Opcode::WaitRel:
    return SyncEffect::Behind;
  case Opcode::Take:
    return SyncEffect::Take;
  case Opcode::Test:
    return SyncEffect::Test;
  case Opcode::Clear:
    return SyncEffect::Clear;
  case Opcode::Reset:
    return SyncEffect::Reset;
  default:
    return SyncEffect::None;
  }
}
