//===- Text.cpp - one instruction as text ---------------------------------===//

#include "tally/emit/asm/Text.h"
#include "tally/emit/asm/ParseInstruction.h"
#include "tally/emit/isa/Command.h"

using namespace tally::isa;
using tally::machine::Machine;

/// Types and the fixed spaces by name.
static std::string valueText(const FieldInfo &field, int64_t value) {
  if (field.unit == "type")
    return std::string(elementTypeName(tally::machine::ElementType(value)));
  return field.unit == "space" ? spaceText(value) : std::to_string(value);
}

static std::string operandText(const Instruction &instruction,
                               const OperandInfo &operand, int64_t value,
                               const Machine &machine) {
  auto kind = [&] {
    return machine.engineOf(uint32_t(instruction.operand(OperandKind::Queue)))
        .kind;
  };
  switch (operand.kind) {
  case OperandKind::Rd:
  case OperandKind::Rs1:
  case OperandKind::Rs2:
    return "x" + std::to_string(value);
  case OperandKind::Queue:
    return machine.queues[size_t(value)].name;
  case OperandKind::Sync:
    return "s" + std::to_string(value);
  case OperandKind::Field:
    return std::string(allFields(kind())[size_t(value)].name);
  case OperandKind::Command:
    return std::string(findCommand(value)->name);
  case OperandKind::Immediate:
    if (instruction.opcode == Opcode::CfgI)
      return valueText(
          allFields(kind())[size_t(instruction.operand(OperandKind::Field))],
          value);
    return std::to_string(value);
  case OperandKind::Offset:
    return std::to_string(value);
  }
  return {};
}

std::string tally::isa::textOf(const Instruction &instruction,
                               const Machine &machine) {
  return textOf(instruction, machine, {});
}

std::string tally::isa::textOf(const Instruction &instruction,
                               const Machine &machine,
                               const std::string &target) {
  const InstructionInfo &info = instruction.info();
  std::vector<std::string> texts;
  for (size_t i = 0; i < info.operands().size(); ++i) {
    const OperandInfo &operand = info.operands()[i];
    texts.push_back(operand.kind == OperandKind::Offset && !target.empty()
                        ? target
                        : operandText(instruction, operand,
                                      instruction.operands[i], machine));
  }
  if (info.format == Format::Load || info.format == Format::Store)
    texts = {texts[0], texts[2] + "(" + texts[1] + ")"};
  std::string text(info.mnemonic);
  for (size_t i = 0; i < texts.size(); ++i)
    text += (i == 0 ? " " : ", ") + texts[i];
  return text;
}
