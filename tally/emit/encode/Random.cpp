//===- Random.cpp - random instructions -----------------------------------===//

#include "tally/emit/encode/Random.h"
#include "tally/emit/encode/Encode.h"
#include "tally/emit/isa/Command.h"

#include <algorithm>

using namespace tally::isa;
using tally::machine::Machine;

static int64_t between(std::mt19937_64 &random, int64_t least, int64_t most) {
  switch (random() % 8) {
  case 0:
    return least;
  case 1:
    return most;
  default:
    return least + int64_t(random() % uint64_t(most - least + 1));
  }
}

static int64_t randomValue(std::mt19937_64 &random,
                           const OperandInfo &operand) {
  int64_t value = between(random, operand.minimum(), operand.maximum());
  return value >> operand.zeroBits << operand.zeroBits;
}

static Opcode randomOpcode(std::mt19937_64 &random) {
  return Opcode(random() % kOpcodes);
}

Instruction tally::isa::randomInstruction(std::mt19937_64 &random) {
  Instruction instruction{randomOpcode(random)};
  std::span<const OperandInfo> operands = instruction.info().operands();
  for (size_t i = 0; i < operands.size(); ++i)
    instruction.operands[i] = randomValue(random, operands[i]);
  return instruction;
}

//===----------------------------------------------------------------------===//
// On a machine
//===----------------------------------------------------------------------===//

static int64_t randomCommand(std::mt19937_64 &random,
                             tally::machine::EngineKind kind) {
  std::vector<int64_t> codes;
  for (const CommandInfo &command : allCommands())
    if (command.kind == kind)
      codes.push_back(int64_t(command.code));
  return codes[random() % codes.size()];
}

/// A value that the machine has; the queue stands before what depends on it.
static int64_t randomValue(std::mt19937_64 &random, const OperandInfo &operand,
                           const Machine &machine,
                           const Instruction &instruction) {
  auto kind = [&] {
    return machine.engineOf(uint32_t(instruction.operand(OperandKind::Queue)))
        .kind;
  };
  switch (operand.kind) {
  case OperandKind::Rd:
  case OperandKind::Rs1:
  case OperandKind::Rs2:
    return between(random, 0, machine.processor.registers() - 1);
  case OperandKind::Queue:
    return between(random, 0, int64_t(machine.queues.size()) - 1);
  case OperandKind::Sync:
    return between(random, 0, machine.syncRegisters() - 1);
  case OperandKind::Field:
    return between(random, 0, int64_t(allFields(kind()).size()) - 1);
  case OperandKind::Command:
    return randomCommand(random, kind());
  case OperandKind::Immediate:
    if (instruction.opcode == Opcode::CfgI) {
      const FieldInfo &field =
          allFields(kind())[size_t(instruction.operand(OperandKind::Field))];
      return between(random, std::max(operand.minimum(), field.minimum()),
                     std::min(operand.maximum(), field.maximum()));
    }
    return randomValue(random, operand);
  case OperandKind::Offset:
    return randomValue(random, operand);
  }
  return 0;
}

Instruction tally::isa::randomInstruction(std::mt19937_64 &random,
                                          const Machine &machine) {
  for (;;) {
    Instruction instruction{randomOpcode(random)};
    std::span<const OperandInfo> operands = instruction.info().operands();
    for (size_t i = 0; i < operands.size(); ++i)
      instruction.operands[i] =
          randomValue(random, operands[i], machine, instruction);
    // What is left are rows that the machine lacks.
    if (checkFor(instruction, machine))
      return instruction;
  }
}
