//===- Routine.cpp - recording instructions -------------------------------===//

#include "tally/emit/routine/Recording.h"

#include "tally/emit/encode/Encode.h"

#include <array>
#include <bit>

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
  bool refuse(const std::string &message);
  bool take(size_t at, const Routine::Argument &operand);
  bool checkMachine();
  void follow();

  Recording &recording;
  const isa::InstructionInfo &info;
  std::string user, place;
  Node node;
  std::array<int64_t, isa::kMaxOperands> values{}; ///< registers
};
} // namespace

bool InstructionRecorder::refuse(const std::string &message) {
  recording.fail(
      emitFailure(FailureKind::Internal, "EMIT-5", "'" + user + "': " + message,
                  "see the instruction's row in docs/reference/isa.md"));
  return false;
}

static bool isRegister(OperandKind kind) {
  return kind == OperandKind::Rd || kind == OperandKind::Rs1 ||
         kind == OperandKind::Rs2;
}

bool InstructionRecorder::take(size_t at, const Routine::Argument &argument) {
  const isa::OperandInfo &operand = info.operands()[at];
  const auto *reg = std::get_if<Operand>(&argument);
  if (isRegister(operand.kind) != (reg != nullptr))
    return refuse(std::string(operand.name) +
                  (reg ? " is a number" : " is a register"));
  if (!reg) {
    node.instruction.operands[at] = std::get<int64_t>(argument);
    return true;
  }
  if (reg->isZero())
    return true;
  std::optional<ValueIndex> value = recording.resolve(*reg, user);
  if (value)
    values[at] = 1 + int64_t(*value);
  return value.has_value();
}

/// Whether the machine has what the instruction names; registers are 0 yet.
bool InstructionRecorder::checkMachine() {
  Status status = isa::checkFor(node.instruction, recording.machine);
  if (status)
    return true;
  Diagnostic failure = status.takeError();
  failure.message += ", recorded at " + place;
  recording.fail(std::move(failure));
  return false;
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
    refuse("loop(), branch() and finish() make it");
    return;
  }
  if (operands.size() != info.operands().size()) {
    refuse(std::to_string(operands.size()) + " operands; it takes " +
           std::to_string(info.operands().size()));
    return;
  }
  for (size_t at = 0; at < operands.size(); ++at)
    if (!take(at, operands[at]))
      return;
  if (!checkMachine())
    return;
  follow();
  for (size_t at = 0; at < operands.size(); ++at)
    if (values[at] != 0)
      node.instruction.operands[at] = values[at];
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
    return recording->fail(emitFailure(FailureKind::Internal, "EMIT-7",
                                       "the sequence '" + name + "' at " +
                                           placeOf(where) + " " + fault,
                                       "declare all registers that it writes"));
  for (const isa::Instruction &instruction : instructions)
    if (instruction.info().unit == isa::Unit::Stage)
      recording
          ->staged[instruction.operand(OperandKind::Queue)]
                  [instruction.operand(OperandKind::Field)]
          .reset();
  Node node;
  node.kind = NodeKind::Inlined;
  node.raw = std::move(instructions);
  node.clobbers = clobbers;
  recording->add(std::move(node), name, placeOf(where));
}

void Routine::beginNode(const std::string &name) {
  if (recording->modelNodes.back() != name)
    recording->modelNodes.push_back(name);
}

/// A statement of the plan without an instruction.
static void addSilent(Recording &recording, NodeKind kind, const char *what,
                      const Scratch &scratch, Where where) {
  if (recording.failed())
    return;
  std::optional<ValueIndex> value =
      recording.resolve(scratch, std::string(what) + "@" + placeOf(where));
  if (!value)
    return;
  Node node;
  node.kind = kind;
  node.held = {{*value, false}};
  recording.add(std::move(node), what, placeOf(where));
}

void Routine::reserve(const Scratch &scratch, Where where) {
  addSilent(*recording, NodeKind::Reserve, "reserve", scratch, where);
}

void Routine::keep(const Scratch &scratch, Where where) {
  addSilent(*recording, NodeKind::Keep, "keep", scratch, where);
}

void Routine::hold(const Operand &scratch, bool late) {
  if (recording->failed() || scratch.isZero() ||
      recording->currentBody().empty())
    return;
  Node &last = recording->nodes[recording->currentBody().back()];
  if (std::optional<ValueIndex> value =
          recording->resolve(scratch, "hold of " + last.name))
    last.held.push_back({*value, late && !recording->machine.latchesOperands});
}
