//===- Scalar.cpp - what scalar instructions compute ----------------------===//

#include "tally/emit/isa/Scalar.h"

using namespace tally::isa;

std::optional<uint32_t> tally::isa::scalarResult(Opcode opcode, uint32_t a,
                                                 uint32_t b, uint32_t i) {
  auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  auto si = static_cast<int32_t>(i);
  switch (opcode) {
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

std::optional<bool> tally::isa::branchTaken(Opcode opcode, uint32_t a,
                                            uint32_t b) {
  auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  switch (opcode) {
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
