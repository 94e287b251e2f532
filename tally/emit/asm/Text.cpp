//===- Text.cpp - one instruction as text ---------------------------------===//

#include "tally/emit/asm/Text.h"
#include "tally/emit/asm/ParseInstruction.h"
#include "tally/emit/isa/Command.h"

using namespace tally::isa;
using tally::machine::Machine;

/// Types and the fixed spaces by name.
static std::string valueText(const FieldInfo &field, int64_t value) {
  if (value < field.minimum() || value > field.maximum())
    return std::to_string(value);
  if (field.unit == "type")
    return std::string(elementTypeName(tally::machine::ElementType(value)));
  return field.unit == "space" ? spaceText(value) : std::to_string(value);
}

static bool isQueue(int64_t queue, const Machine &machine) {
  return queue >= 0 && size_t(queue) < machine.queues.size();
}

/// The field of a queue's engine; null where there is none, since a fault shows
/// the instruction that is at fault.
static const FieldInfo *fieldOf(const Instruction &instruction,
                                const Machine &machine) {
  int64_t queue = instruction.operand(OperandKind::Queue);
  int64_t field = instruction.operand(OperandKind::Field);
  if (!isQueue(queue, machine))
    return nullptr;
  auto fields = allFields(machine.engineOf(uint32_t(queue)).kind);
  return field >= 0 && size_t(field) < fields.size() ? &fields[size_t(field)]
                                                     : nullptr;
}

static std::string operandText(const Instruction &instruction,
                               const OperandInfo &operand, int64_t value,
                               const Machine &machine) {
  switch (operand.kind) {
  case OperandKind::Rd:
  case OperandKind::Rs1:
  case OperandKind::Rs2:
    return "x" + std::to_string(value);
  case OperandKind::Queue:
    return isQueue(value, machine) ? machine.queues[size_t(value)].name
                                   : std::to_string(value);
  case OperandKind::Sync:
    return "s" + std::to_string(value);
  case OperandKind::Field:
    if (const FieldInfo *field = fieldOf(instruction, machine))
      return std::string(field->name);
    return std::to_string(value);
  case OperandKind::Command:
    if (auto command = findCommand(value))
      return std::string(command->name);
    return std::to_string(value);
  case OperandKind::Immediate:
    if (instruction.opcode == Opcode::CfgI)
      if (const FieldInfo *field = fieldOf(instruction, machine))
        return valueText(*field, value);
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
