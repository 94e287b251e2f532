//===- ScalarCode.cpp - instructions of the processor ---------------------===//

#include "tally/run/checker/ScalarCode.h"

using namespace tally;
using namespace tally::checker;
using isa::Opcode;
using isa::OperandKind;

static Decoded decoded(const isa::Instruction &instruction, bool isLate) {
  Decoded now;
  now.opcode = instruction.opcode;
  now.clobbers = instruction.info().clobbers;
  std::span<const isa::OperandInfo> operands = instruction.info().operands();
  for (size_t i = 0; i < operands.size(); ++i) {
    int64_t value = instruction.operands[i];
    switch (operands[i].kind) {
    case OperandKind::Rd:
      now.rd = value;
      break;
    case OperandKind::Rs1:
      now.rs1 = value;
      break;
    case OperandKind::Rs2:
      now.rs2 = value;
      break;
    case OperandKind::Immediate:
    case OperandKind::Offset:
      now.immediate = value;
      break;
    case OperandKind::Queue:
      now.queue = value;
      break;
    case OperandKind::Field:
      now.field = value;
      break;
    case OperandKind::Command:
      now.code = value;
      break;
    case OperandKind::Sync:
      now.sync = value;
      break;
    }
  }
  now.lateRs1 = isLate && instruction.info().rs1Late && now.rs1 != 0;
  now.lateRs2 = isLate && instruction.info().rs2Late && now.rs2 != 0;
  return now;
}

std::vector<Decoded> tally::checker::decodeText(const Subject &subject) {
  std::vector<Decoded> text;
  text.reserve(subject.text.size());
  for (const isa::Instruction &instruction : subject.text)
    text.push_back(decoded(instruction, !subject.machine.latchesOperands));
  return text;
}

std::optional<uint32_t> tally::checker::resultOf(const Decoded &now, uint32_t a,
                                                 uint32_t b) {
  auto i = static_cast<uint32_t>(now.immediate);
  auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  auto si = static_cast<int32_t>(i);
  switch (now.opcode) {
  case Opcode::Lui:
    return i << 12;
  case Opcode::Addi:
    return a + i;
  case Opcode::Slti:
    return sa < si;
  case Opcode::Sltiu:
    return a < i;
  case Opcode::Xori:
    return a ^ i;
  case Opcode::Ori:
    return a | i;
  case Opcode::Andi:
    return a & i;
  case Opcode::Slli:
    return a << i;
  case Opcode::Srli:
    return a >> i;
  case Opcode::Srai:
    return sa >> i;
  case Opcode::Add:
    return a + b;
  case Opcode::Sub:
    return a - b;
  case Opcode::Sll:
    return a << (b & 31);
  case Opcode::Slt:
    return sa < sb;
  case Opcode::Sltu:
    return a < b;
  case Opcode::Xor:
    return a ^ b;
  case Opcode::Srl:
    return a >> (b & 31);
  case Opcode::Sra:
    return sa >> (b & 31);
  case Opcode::Or:
    return a | b;
  case Opcode::And:
    return a & b;
  case Opcode::Mul:
    return a * b;
  default:
    return std::nullopt;
  }
}

std::optional<bool> tally::checker::isTaken(const Decoded &now, uint32_t a,
                                            uint32_t b) {
  auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  switch (now.opcode) {
  case Opcode::Beq:
    return a == b;
  case Opcode::Bne:
    return a != b;
  case Opcode::Blt:
    return sa < sb;
  case Opcode::Bge:
    return sa >= sb;
  case Opcode::Bltu:
    return a < b;
  case Opcode::Bgeu:
    return a >= b;
  default:
    return std::nullopt;
  }
}
