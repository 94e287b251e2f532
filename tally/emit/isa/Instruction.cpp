//===- Instruction.cpp - the table of instructions ------------------------===//

#include "tally/emit/isa/Instruction.h"

#include <algorithm>

using namespace tally::isa;

int64_t OperandInfo::minimum() const {
  return isSigned ? -(int64_t(1) << (bits - 1)) : 0;
}

int64_t OperandInfo::maximum() const {
  int64_t largest = (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
  return largest >> zeroBits << zeroBits;
}

/// What the table calls late.
namespace {
enum class Late { None, Rs1, Rs1Rs2 };
} // namespace

static constexpr InstructionInfo kInstructions[] = {
#define TALLY_INSTRUCTION(id, mnemonic, format, bits, unit, late, clobbers,    \
                          cycles, meaning)                                     \
  {Opcode::id,                                                                 \
   mnemonic,                                                                   \
   Format::format,                                                             \
   bits,                                                                       \
   Unit::unit,                                                                 \
   Late::late != Late::None,                                                   \
   Late::late == Late::Rs1Rs2,                                                 \
   clobbers,                                                                   \
   cycles,                                                                     \
   meaning},
#include "tally/emit/isa/Instructions.def"
};

std::span<const InstructionInfo> tally::isa::allInstructions() {
  return kInstructions;
}

const InstructionInfo &tally::isa::infoOf(Opcode opcode) {
  return kInstructions[size_t(opcode)];
}

std::optional<Opcode> tally::isa::findMnemonic(std::string_view mnemonic) {
  const auto *found =
      std::ranges::find(kInstructions, mnemonic, &InstructionInfo::mnemonic);
  if (found == std::end(kInstructions))
    return std::nullopt;
  return found->opcode;
}

std::optional<size_t> InstructionInfo::find(OperandKind kind) const {
  std::span<const OperandInfo> all = operands();
  auto found = std::ranges::find(all, kind, &OperandInfo::kind);
  if (found == all.end())
    return std::nullopt;
  return found - all.begin();
}

uint32_t InstructionInfo::mask() const {
  uint32_t mask = ~uint32_t(0);
  for (const OperandInfo &operand : operands())
    for (size_t s = 0; s < operand.sliceCount; ++s) {
      BitSlice slice = operand.slices[s];
      mask &= ~(((uint32_t(1) << slice.width) - 1) << slice.wordBit);
    }
  return mask;
}

RegisterEffects tally::isa::registerEffects(const Instruction &instruction,
                                            bool latchesOperands) {
  const InstructionInfo &info = instruction.info();
  RegisterEffects effects;
  auto read = [&](OperandKind kind, bool late) {
    std::optional<size_t> place = info.find(kind);
    if (!place || instruction.operands[*place] == 0)
      return;
    effects.reads.push_back(
        {uint32_t(instruction.operands[*place]),
         late && !latchesOperands ? ReadTime::Late : ReadTime::Latched});
  };
  read(OperandKind::Rs1, info.rs1Late);
  read(OperandKind::Rs2, info.rs2Late);
  if (std::optional<size_t> rd = info.find(OperandKind::Rd))
    if (instruction.operands[*rd] != 0)
      effects.write = uint32_t(instruction.operands[*rd]);
  effects.clobbers = info.clobbers;
  return effects;
}
