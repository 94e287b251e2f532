//===- Encode.cpp - instructions as words ---------------------------------===//
//
// A word is the row's bits with the slices of its operands. Decoding looks up
// the row by its opcode (bits 6:0) and then compares with each row's mask; no
// two rows of the table match one word, which a test checks.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/encode/Encode.h"
#include "tally/emit/isa/Command.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>

using namespace tally;
using namespace tally::isa;
using machine::Machine;
using machine::SyncKind;

static Diagnostic refuse(const char *rule, std::string message) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = rule;
  failure.message = std::move(message);
  return failure;
}

static Diagnostic outOfRange(const InstructionInfo &info,
                             const OperandInfo &operand, int64_t value,
                             const std::string &wanted) {
  return refuse("ENC-RANGE", "'" + std::string(info.mnemonic) + "' with " +
                                 std::string(operand.name) + " " +
                                 std::to_string(value) + ": " + wanted);
}

Status tally::isa::checkOperands(const Instruction &instruction) {
  const InstructionInfo &info = instruction.info();
  for (size_t i = 0; i < info.operands().size(); ++i) {
    const OperandInfo &operand = info.operands()[i];
    int64_t value = instruction.operands[i];
    if (value < operand.minimum() || value > operand.maximum())
      return outOfRange(info, operand, value,
                        std::to_string(operand.minimum()) + " to " +
                            std::to_string(operand.maximum()) +
                            " can be encoded");
    if (value % (int64_t(1) << operand.zeroBits) != 0)
      return outOfRange(info, operand, value, "it has to be even");
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// On a machine
//===----------------------------------------------------------------------===//

static Diagnostic lacking(const Machine &machine, const InstructionInfo &info,
                          const std::string &what) {
  return refuse("ENC-MACHINE", "'" + std::string(info.mnemonic) +
                                   "' is not for machine '" + machine.name +
                                   "': " + what);
}

static Status checkSyncKind(const InstructionInfo &info,
                            const Machine &machine) {
  const machine::SyncFile &file = machine.sync;
  auto demand = [&](SyncKind kind, const char *name) -> Status {
    if (file.kind == kind)
      return Status::success();
    return lacking(machine, info,
                   "its synchronization registers are no " + std::string(name) +
                       "s");
  };
  switch (info.opcode) {
  case Opcode::WaitGe:
    return demand(SyncKind::Counter, "counter");
  case Opcode::WaitGeR:
    if (file.kind == SyncKind::Counter && !file.scalarThresholds)
      return lacking(machine, info, "its waits have no scalar thresholds");
    return demand(SyncKind::Counter, "counter");
  case Opcode::WaitRel:
    if (file.kind == SyncKind::Counter && !file.relativeWaits)
      return lacking(machine, info, "it has no relative waits");
    return demand(SyncKind::Counter, "counter");
  case Opcode::Take:
    return demand(SyncKind::Token, "token");
  case Opcode::Test:
  case Opcode::Clear:
    return demand(SyncKind::Flag, "flag");
  case Opcode::Mul:
    if (!machine.processor.hasMultiply)
      return lacking(machine, info,
                     "its subset " + machine.processor.subset() +
                         " has no multiplication");
    return Status::success();
  default:
    return Status::success();
  }
}

/// The kind of engine behind the queue operand, which is in range.
static machine::EngineKind kindOf(const Instruction &instruction,
                                  const Machine &machine) {
  return machine.engineOf(uint32_t(instruction.operand(OperandKind::Queue)))
      .kind;
}

static Status checkCommandCode(const Instruction &instruction,
                               const OperandInfo &operand, int64_t value,
                               const Machine &machine) {
  const CommandInfo *command = findCommand(value);
  machine::EngineKind kind = kindOf(instruction, machine);
  if (command && command->kind == kind)
    return Status::success();
  return outOfRange(instruction.info(), operand, value,
                    "no command of a " + std::string(engineKindName(kind)) +
                        " engine has this code");
}

static Status below(const Instruction &instruction, const OperandInfo &operand,
                    int64_t value, int64_t limit, const std::string &what) {
  if (value < limit)
    return Status::success();
  return outOfRange(instruction.info(), operand, value,
                    what + " has " + std::to_string(limit));
}

/// A register of the synchronization file that is there and not reserved.
static Status checkSync(const Instruction &instruction,
                        const OperandInfo &operand, int64_t value,
                        const Machine &machine) {
  if (Status status =
          below(instruction, operand, value, machine.syncRegisters(),
                "machine '" + machine.name + "'");
      !status)
    return status;
  int64_t number = value % machine.sync.count;
  if (std::ranges::find(machine.sync.reserved, number) ==
      machine.sync.reserved.end())
    return Status::success();
  return outOfRange(instruction.info(), operand, value,
                    "machine '" + machine.name + "' reserves it");
}

static Status checkOperandFor(const Instruction &instruction,
                              const OperandInfo &operand, int64_t value,
                              const Machine &machine) {
  std::string owner = "machine '" + machine.name + "'";
  switch (operand.kind) {
  case OperandKind::Rd:
  case OperandKind::Rs1:
  case OperandKind::Rs2:
    return below(instruction, operand, value, machine.processor.registers(),
                 machine.processor.subset());
  case OperandKind::Queue:
    return below(instruction, operand, value, int64_t(machine.queues.size()),
                 owner);
  case OperandKind::Sync:
    return checkSync(instruction, operand, value, machine);
  case OperandKind::Field: {
    machine::EngineKind kind = kindOf(instruction, machine);
    return below(instruction, operand, value, int64_t(allFields(kind).size()),
                 "a " + std::string(engineKindName(kind)) + " engine");
  }
  case OperandKind::Command:
    return checkCommandCode(instruction, operand, value, machine);
  case OperandKind::Immediate:
  case OperandKind::Offset:
    return Status::success();
  }
  return Status::success();
}

/// cfg.i writes a value that the field has.
static Status checkFieldValue(const Instruction &instruction,
                              const Machine &machine) {
  if (instruction.opcode != Opcode::CfgI)
    return Status::success();
  const FieldInfo &field = allFields(kindOf(
      instruction, machine))[size_t(instruction.operand(OperandKind::Field))];
  int64_t value = instruction.operand(OperandKind::Immediate);
  if (field.minimum() <= value && value <= field.maximum())
    return Status::success();
  return refuse("ENC-RANGE", "'cfg.i' of field '" + std::string(field.name) +
                                 "' with " + std::to_string(value) + ": " +
                                 std::to_string(field.minimum()) + " to " +
                                 std::to_string(field.maximum()) +
                                 " are its values");
}

Status tally::isa::checkFor(const Instruction &instruction,
                            const Machine &machine) {
  if (Status status = checkOperands(instruction); !status)
    return status;
  const InstructionInfo &info = instruction.info();
  for (size_t i = 0; i < info.operands().size(); ++i)
    if (Status status = checkOperandFor(instruction, info.operands()[i],
                                        instruction.operands[i], machine);
        !status)
      return status;
  if (Status status = checkSyncKind(info, machine); !status)
    return status;
  return checkFieldValue(instruction, machine);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static uint32_t lowBits(uint32_t width) {
  return width >= 32 ? ~uint32_t(0) : (uint32_t(1) << width) - 1;
}

static uint32_t scatter(const OperandInfo &operand, int64_t value) {
  uint32_t word = 0;
  for (size_t s = 0; s < operand.sliceCount; ++s) {
    BitSlice slice = operand.slices[s];
    uint32_t bits = uint32_t(value >> slice.valueBit) & lowBits(slice.width);
    word |= bits << slice.wordBit;
  }
  return word;
}

static int64_t gather(const OperandInfo &operand, uint32_t word) {
  uint32_t value = 0;
  for (size_t s = 0; s < operand.sliceCount; ++s) {
    BitSlice slice = operand.slices[s];
    value |= (word >> slice.wordBit & lowBits(slice.width)) << slice.valueBit;
  }
  if (operand.isSigned && (value >> (operand.bits - 1) & 1) != 0)
    return int64_t(value) - (int64_t(1) << operand.bits);
  return value;
}

Result<uint32_t> tally::isa::encode(const Instruction &instruction) {
  if (Status status = checkOperands(instruction); !status)
    return status.takeError();
  const InstructionInfo &info = instruction.info();
  uint32_t word = info.bits;
  for (size_t i = 0; i < info.operands().size(); ++i)
    word |= scatter(info.operands()[i], instruction.operands[i]);
  return word;
}

namespace {
struct Row {
  const InstructionInfo *info;
  uint32_t mask;
};
} // namespace

/// Rows by the low 7 bits of their words.
static const std::vector<Row> &rowsOf(uint32_t word) {
  static const std::array<std::vector<Row>, 128> all = [] {
    std::array<std::vector<Row>, 128> rows;
    for (const InstructionInfo &info : allInstructions())
      rows[info.bits % 128].push_back({&info, info.mask()});
    return rows;
  }();
  return all[word % 128];
}

Result<Instruction> tally::isa::decode(uint32_t word) {
  for (const Row &row : rowsOf(word)) {
    if ((word & row.mask) != row.info->bits)
      continue;
    Instruction instruction{row.info->opcode};
    for (size_t i = 0; i < row.info->operands().size(); ++i)
      instruction.operands[i] = gather(row.info->operands()[i], word);
    return instruction;
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << "no instruction of version " << kVersion << " has the word "
      << llvm::format_hex(word, 10);
  return refuse("ENC-WORD", text);
}
