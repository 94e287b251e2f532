//===- InstructionRules.cpp - rules of single instructions ----------------===//
//
// What can be said of an instruction without executing it: it means something
// on the machine, and its synchronization register is one that it may use so.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Expansion.h"

#include "tally/emit/encode/Encode.h"

using namespace tally;
using namespace tally::checker;
using isa::OperandKind;
using machine::SyncKey;

namespace {
class InstructionJudge {
public:
  InstructionJudge(const machine::Machine &machine,
                   const isa::Instruction &instruction)
      : machine(machine), instruction(instruction) {}
  std::optional<Finding> judge();

private:
  std::optional<Finding> form() const;
  std::optional<Finding> command() const;
  std::optional<Finding> sync() const;
  std::optional<Finding> syncOwner(int64_t reg) const;
  std::optional<Finding> fail(Rule rule, std::string message,
                              std::string hint = "") const;
  std::optional<int64_t> operand(OperandKind kind) const;

  const machine::Machine &machine;
  const isa::Instruction &instruction;
};
} // namespace

std::optional<Finding> InstructionJudge::fail(Rule rule, std::string message,
                                              std::string hint) const {
  Finding finding;
  finding.rule = rule;
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  return finding;
}

std::optional<int64_t> InstructionJudge::operand(OperandKind kind) const {
  std::optional<size_t> place = instruction.info().find(kind);
  if (!place)
    return std::nullopt;
  return instruction.operands[*place];
}

/// What the encoder demands of instructions on this machine.
std::optional<Finding> InstructionJudge::form() const {
  Status status = isa::checkFor(instruction, machine);
  if (status)
    return std::nullopt;
  return fail(Rule::Command,
              status.error().message + " [" + status.error().rule + "]",
              status.error().hint);
}

std::optional<Finding> InstructionJudge::command() const {
  std::optional<int64_t> code = operand(OperandKind::Command);
  if (!code || isa::findCommand(*code))
    return std::nullopt;
  return fail(Rule::Command, "there is no command " + std::to_string(*code));
}

/// Where a number is unique within a source, or a source and a destination, a
/// register has an owner.
std::optional<Finding> InstructionJudge::syncOwner(int64_t reg) const {
  std::optional<int64_t> queue = operand(OperandKind::Queue);
  if (!queue || machine.sync.key == SyncKey::Global)
    return std::nullopt;
  auto queues = static_cast<int64_t>(machine.queues.size());
  bool hasDestination = machine.sync.key == SyncKey::SourceDestination;
  int64_t pair = reg / machine.sync.count;
  int64_t source = hasDestination ? pair / queues : pair;
  bool signals =
      isa::syncEffectOf(instruction.opcode) == isa::SyncEffect::Signal;
  if (signals && *queue != source)
    return fail(Rule::Registers,
                "register s" + std::to_string(reg) + " is signalled by " +
                    machine.queues[source].name + " alone, not by " +
                    machine.queues[*queue].name);
  if (!signals && hasDestination && *queue != pair % queues)
    return fail(Rule::Registers,
                "on register s" + std::to_string(reg) + " only " +
                    machine.queues[pair % queues].name + " waits, not " +
                    machine.queues[*queue].name);
  return std::nullopt;
}

std::optional<Finding> InstructionJudge::sync() const {
  std::optional<int64_t> reg = operand(OperandKind::Sync);
  if (!reg)
    return std::nullopt;
  return syncOwner(*reg);
}

std::optional<Finding> InstructionJudge::judge() {
  if (std::optional<Finding> finding = form())
    return finding;
  if (std::optional<Finding> finding = command())
    return finding;
  return sync();
}

std::optional<Finding>
tally::checker::breaksInstructionRule(const Subject &subject) {
  for (uint32_t i = 0; i < subject.text.size(); ++i)
    if (std::optional<Finding> finding =
            InstructionJudge(subject.machine, subject.text[i]).judge()) {
      finding->instruction = i;
      return finding;
    }
  return std::nullopt;
}
