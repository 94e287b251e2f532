//===- Routine.cpp - recording instructions -------------------------------===//

#include "tally/emit/routine/Recording.h"

using namespace tally;
using namespace tally::emit;
using isa::OperandKind;

Recording &tally::emit::recordingOf(const Routine &routine) {
  return *routine.recording;
}

Routine::Routine(const machine::Machine &machine, RoutineOptions options)
    : recording(std::make_shared<Recording>(machine, options)) {}

const machine::Machine &Routine::machine() const { return recording->machine; }
const RoutineOptions &Routine::options() const { return recording->options; }
uint64_t Routine::epoch() const { return recording->epoch; }
const Status &Routine::status() const { return recording->failure; }

//===----------------------------------------------------------------------===//
// What an instruction takes
//===----------------------------------------------------------------------===//

namespace {
/// Checks one instruction and records it.
class InstructionRecorder {
public:
  InstructionRecorder(Recording &recording, isa::Opcode opcode, Where where)
      : recording(recording), info(isa::infoOf(opcode)),
        user(std::string(info.mnemonic) + "@" + placeOf(where)),
        place(placeOf(where)) {
    node.instruction.opcode = opcode;
  }
  void record(const std::vector<Routine::Argument> &operands);

private:
  bool refuse(const char *rule, const std::string &message);
  bool take(size_t at, const Routine::Argument &operand);
  bool takeNumber(const isa::OperandInfo &operand, int64_t value);
  bool checkNumber(OperandKind kind, int64_t value);
  bool checkField(int64_t field);
  bool checkCommand(int64_t command);
  bool checkSync(int64_t reg);
  bool checkMachine();
  void follow();

  machine::EngineKind engineKind() const {
    return recording.machine
        .engineOf(
            static_cast<uint32_t>(node.instruction.operand(OperandKind::Queue)))
        .kind;
  }

  Recording &recording;
  const isa::InstructionInfo &info;
  std::string user, place;
  Node node;
};
} // namespace

bool InstructionRecorder::refuse(const char *rule, const std::string &message) {
  bool machine = std::string_view(rule) == "EMIT-6";
  recording.fail(emitFailure(
      machine ? FailureKind::Unsupported : FailureKind::Internal, rule,
      "'" + user + "': " + message,
      machine ? "use another way on machine '" + recording.machine.name + "'"
              : "see the instruction's row in docs/reference/isa.md"));
  return false;
}

static bool isRegister(OperandKind kind) {
  return kind == OperandKind::Rd || kind == OperandKind::Rs1 ||
         kind == OperandKind::Rs2;
}

bool InstructionRecorder::checkField(int64_t field) {
  auto fields = isa::allFields(engineKind());
  if (field < static_cast<int64_t>(fields.size()))
    return true;
  return refuse("EMIT-5", "there is no field " + std::to_string(field));
}

bool InstructionRecorder::checkCommand(int64_t command) {
  const isa::CommandInfo *row = isa::findCommand(command);
  if (row && row->kind == engineKind())
    return true;
  return refuse("EMIT-5", "command " + std::to_string(command) +
                              " is none of the queue's engine");
}

bool InstructionRecorder::checkSync(int64_t reg) {
  if (reg < recording.machine.syncRegisters())
    return true;
  return refuse("EMIT-6",
                "the machine has " +
                    std::to_string(recording.machine.syncRegisters()) +
                    " synchronization registers, and " + std::to_string(reg) +
                    " is used");
}

bool InstructionRecorder::checkNumber(OperandKind kind, int64_t value) {
  if (kind == OperandKind::Field)
    return checkField(value);
  if (kind == OperandKind::Command)
    return checkCommand(value);
  if (kind == OperandKind::Sync)
    return checkSync(value);
  if (kind == OperandKind::Queue &&
      value >= static_cast<int64_t>(recording.machine.queues.size()))
    return refuse("EMIT-6",
                  "the machine has " +
                      std::to_string(recording.machine.queues.size()) +
                      " queues, and " + std::to_string(value) + " is used");
  return true;
}

bool InstructionRecorder::takeNumber(const isa::OperandInfo &operand,
                                     int64_t value) {
  int64_t step = int64_t(1) << operand.zeroBits;
  if (value < operand.minimum() || value > operand.maximum() ||
      value % step != 0)
    return refuse("EMIT-5",
                  std::string(operand.name) + " is " + std::to_string(value) +
                      "; " + std::to_string(operand.minimum()) + " to " +
                      std::to_string(operand.maximum()) + " can be encoded");
  return checkNumber(operand.kind, value);
}

bool InstructionRecorder::take(size_t at, const Routine::Argument &argument) {
  const isa::OperandInfo &operand = info.operands()[at];
  int64_t &place = node.instruction.operands[at];
  const auto *reg = std::get_if<Operand>(&argument);
  if (isRegister(operand.kind) != (reg != nullptr))
    return refuse("EMIT-5", std::string(operand.name) +
                                (reg ? " is a number" : " is a register"));
  if (!reg) {
    place = std::get<int64_t>(argument);
    return takeNumber(operand, place);
  }
  if (reg->isZero())
    return true;
  std::optional<ValueIndex> value = recording.resolve(*reg, user);
  if (value)
    place = 1 + int64_t(*value);
  return value.has_value();
}

/// The kind of synchronization file that an instruction works on.
static std::optional<machine::SyncKind> syncKindOf(isa::Opcode opcode) {
  switch (opcode) {
  case isa::Opcode::WaitGe:
  case isa::Opcode::WaitGeR:
  case isa::Opcode::WaitRel:
    return machine::SyncKind::Counter;
  case isa::Opcode::Take:
    return machine::SyncKind::Token;
  case isa::Opcode::Test:
  case isa::Opcode::Clear:
    return machine::SyncKind::Flag;
  default:
    return std::nullopt;
  }
}

bool InstructionRecorder::checkMachine() {
  const machine::Machine &machine = recording.machine;
  isa::Opcode opcode = info.opcode;
  if (opcode == isa::Opcode::Mul && !machine.processor.hasMultiply)
    return refuse("EMIT-6", "the machine does not multiply");
  auto kind = syncKindOf(opcode);
  if (kind && *kind != machine.sync.kind)
    return refuse("EMIT-6", "the machine's synchronization registers are of "
                            "another kind");
  if (opcode == isa::Opcode::WaitRel && !machine.sync.relativeWaits)
    return refuse("EMIT-6", "the machine has no relative waits");
  if (opcode == isa::Opcode::WaitGeR && !machine.sync.scalarThresholds)
    return refuse("EMIT-6", "the machine has no thresholds in registers");
  return true;
}

/// What is known behind the instruction.
void InstructionRecorder::follow() {
  const isa::Instruction &instruction = node.instruction;
  if (info.unit == isa::Unit::Queued)
    ++recording.entries[instruction.operand(OperandKind::Queue)];
  if (info.unit != isa::Unit::Stage)
    return;
  auto &field = recording.staged[instruction.operand(OperandKind::Queue)]
                                [instruction.operand(OperandKind::Field)];
  field.reset();
  if (info.opcode == isa::Opcode::CfgI)
    field = instruction.operand(OperandKind::Immediate);
}

void InstructionRecorder::record(
    const std::vector<Routine::Argument> &operands) {
  using isa::Format;
  if (info.format == Format::Branch || info.format == Format::Jump ||
      info.opcode == isa::Opcode::Ecall) {
    refuse("EMIT-5", "loop(), branch() and finish() make it");
    return;
  }
  if (operands.size() != info.operands().size()) {
    refuse("EMIT-5", std::to_string(operands.size()) + " operands; it takes " +
                         std::to_string(info.operands().size()));
    return;
  }
  for (size_t at = 0; at < operands.size(); ++at)
    if (!take(at, operands[at]))
      return;
  if (!checkMachine())
    return;
  follow();
  recording.add(std::move(node), info.mnemonic, place);
}

void Routine::instruction(isa::Opcode opcode, std::vector<Argument> operands,
                          Where where) {
  if (!recording->failed())
    InstructionRecorder(*recording, opcode, where).record(operands);
}

//===----------------------------------------------------------------------===//
// Sequences and temporaries
//===----------------------------------------------------------------------===//

static bool isStraight(const isa::Instruction &instruction) {
  isa::Format format = instruction.info().format;
  return format != isa::Format::Branch && format != isa::Format::Jump &&
         instruction.opcode != isa::Opcode::Ecall;
}

/// What is wrong with an inlined sequence, or an empty string.
static std::string faultOf(const std::vector<isa::Instruction> &instructions,
                           uint32_t clobbers) {
  uint32_t written = 0;
  for (const isa::Instruction &instruction : instructions) {
    std::string name(instruction.info().mnemonic);
    if (!isStraight(instruction))
      return "has '" + name + "', and a sequence has no jumps";
    isa::RegisterEffects effects = isa::registerEffects(instruction);
    for (const isa::RegisterRead &read : effects.reads) {
      std::string reg = "x" + std::to_string(read.reg);
      if (!(written >> read.reg & 1))
        return "reads " + reg + ", which it has not written";
      if (read.time == isa::ReadTime::Late)
        return "has '" + name + "', which reads " + reg + " late";
    }
    if (effects.write)
      written |= uint32_t(1) << *effects.write;
    written |= effects.clobbers;
    uint32_t undeclared = written & ~clobbers;
    if (undeclared)
      return "destroys x" + std::to_string(std::countr_zero(undeclared)) +
             " by '" + name + "' and does not say so";
  }
  return "";
}

void Routine::inlined(const std::string &name,
                      std::vector<isa::Instruction> instructions,
                      uint32_t clobbers, Where where) {
  if (recording->failed())
    return;
  if (std::string fault = faultOf(instructions, clobbers); !fault.empty())
    return recording->fail(emitFailure(FailureKind::Internal, "EMIT-8",
                                       "the sequence '" + name + "' at " +
                                           placeOf(where) + " " + fault,
                                       "declare all registers that it writes"));
  for (const isa::Instruction &instruction : instructions) {
    if (instruction.info().unit == isa::Unit::Queued)
      ++recording->entries[instruction.operand(OperandKind::Queue)];
    if (instruction.info().unit == isa::Unit::Stage)
      recording
          ->staged[instruction.operand(OperandKind::Queue)]
                  [instruction.operand(OperandKind::Field)]
          .reset();
  }
  Node node;
  node.kind = NodeKind::Inlined;
  node.raw = std::move(instructions);
  node.clobbers = clobbers;
  recording->add(std::move(node), name, placeOf(where));
}

void Routine::reserve(const Scratch &scratch, Where where) {
  if (recording->failed())
    return;
  std::optional<ValueIndex> value =
      recording->resolve(scratch, "reserve@" + placeOf(where));
  if (!value)
    return;
  Node node;
  node.kind = NodeKind::Reserve;
  node.held = {{*value, false}};
  recording->add(std::move(node), "reserve", placeOf(where));
}

void Routine::hold(const Operand &scratch, bool late) {
  if (recording->failed() || scratch.isZero())
    return;
  Node &last = recording->nodes[recording->currentBody().back()];
  if (std::optional<ValueIndex> value =
          recording->resolve(scratch, "hold of " + last.name))
    last.held.push_back({*value, late && !recording->machine.latchesOperands});
}
