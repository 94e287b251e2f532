//===- Processor.cpp - the scalar core of the command processor -----------===//
//
// RV32I or RV32E as "The RISC-V Instruction Set Manual, Volume I" has it, less
// what the instruction table leaves out.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/Processor.h"
#include "tally/emit/isa/Config.h"
#include "tally/emit/isa/Scalar.h"

#include <cstring>

using namespace tally;
using namespace tally::simulator;
using isa::Format;
using isa::Instruction;
using isa::Opcode;
using isa::OperandKind;

void Processor::write(uint32_t reg, uint32_t value) {
  if (reg == 0)
    return;
  values[reg] = value;
  defined |= uint32_t(1) << reg;
}

void Processor::poison(uint32_t value) {
  for (uint32_t reg = 1; reg < 32; ++reg)
    if (!(defined >> reg & 1))
      values[reg] = value;
}

std::optional<Wrong>
Processor::checkRegisters(const Instruction &instruction) const {
  std::span<const isa::OperandInfo> operands = instruction.info().operands();
  for (size_t i = 0; i < operands.size(); ++i) {
    OperandKind kind = operands[i].kind;
    if (kind != OperandKind::Rd && kind != OperandKind::Rs1 &&
        kind != OperandKind::Rs2)
      continue;
    auto reg = uint32_t(instruction.operands[i]);
    if (reg >= machine.processor.registers())
      return Wrong{rule::kCode, "the machine's " + machine.processor.subset() +
                                    " has no register x" + std::to_string(reg)};
    if (kind != OperandKind::Rd && !(defined >> reg & 1))
      return Wrong{rule::kUnwritten, "x" + std::to_string(reg) +
                                         " is read and was never written"};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void Processor::branch(const Instruction &instruction) {
  auto [a, b, offset, none] = instruction.operands;
  if (isa::branchTaken(instruction.opcode, values[size_t(a)], values[size_t(b)])
          .value())
    pc += uint32_t(offset) - uint32_t(isa::kInstructionBytes);
}

void Processor::compute(const Instruction &instruction) {
  auto [rd, rs1, last, none] = instruction.operands;
  bool isRegister = instruction.info().format == Format::Register;
  uint32_t b = isRegister ? values[size_t(last)] : 0;
  write(uint32_t(rd), isa::scalarResult(instruction.opcode, values[size_t(rs1)],
                                        b, uint32_t(last))
                          .value());
}

void Processor::loadOrStore(const Instruction &instruction, Memory &memory) {
  auto [reg, base, offset, none] = instruction.operands;
  int64_t address = values[size_t(base)] + uint32_t(offset);
  if (instruction.opcode == Opcode::Sw) {
    std::memcpy(memory.write(isa::kContextRegion, address, 4, 4),
                &values[size_t(reg)], 4);
    return;
  }
  uint32_t value;
  std::memcpy(&value, memory.read(isa::kContextRegion, address, 4, 4), 4);
  write(uint32_t(reg), value);
}

std::optional<Wrong> Processor::execute(const Instruction &instruction,
                                        Memory &memory) {
  if (std::optional<Wrong> wrong = checkRegisters(instruction))
    return wrong;
  if (instruction.opcode == Opcode::Mul && !machine.processor.hasMultiply)
    return Wrong{rule::kCode, "the machine's processor does not multiply"};
  uint32_t here = pc;
  pc += uint32_t(isa::kInstructionBytes);
  switch (instruction.info().format) {
  case Format::Branch:
    branch(instruction);
    break;
  case Format::Jump:
    write(uint32_t(instruction.operands[0]), pc);
    pc = here + uint32_t(instruction.operands[1]);
    break;
  case Format::Upper:
    write(uint32_t(instruction.operands[0]), uint32_t(instruction.operands[1])
                                                 << 12);
    break;
  case Format::Load:
  case Format::Store:
    loadOrStore(instruction, memory);
    break;
  default:
    compute(instruction);
  }
  return std::nullopt;
}
