//===- Registers.cpp - real registers for a recorded routine --------------===//
//
// Read times and clobbers come from the one table of instructions
// (isa::registerEffects). A fence is a wait; on a queue that completes out of
// order only a fence for all entries says which are done, so any other is an
// operation that covers nothing.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/routine/Registers.h"

#include "tally/plan/registers/Report.h"

#include <algorithm>

using namespace tally;
using namespace tally::emit;
namespace regs = tally::plan::registers;

namespace {
class Translator {
public:
  explicit Translator(const Recording &recording) : recording(recording) {
    out.statementsOf.resize(recording.nodes.size());
  }
  RegisterAssignment run();

private:
  using Statements = std::vector<regs::StatementId>;
  Statements bodyOf(const Body &body);
  void translate(NodeIndex index, Statements &into);
  void instruction(NodeIndex index, Statements &into);
  void fence(NodeIndex index, Statements &into);
  regs::StatementId add(NodeIndex index, regs::Statement statement,
                        Statements &into);
  void clobber(regs::Statement &statement, uint32_t mask) const;

  const Recording &recording;
  RegisterAssignment out;
};
} // namespace

/// The value of a register in an instruction of a routine.
static ValueIndex valueAt(uint32_t reg) { return reg - 1; }

regs::StatementId Translator::add(NodeIndex index, regs::Statement statement,
                                  Statements &into) {
  Statements &mine = out.statementsOf[index];
  const Node &node = recording.nodes[index];
  statement.name = node.name;
  if (!mine.empty())
    statement.name += "." + std::to_string(mine.size());
  auto id = static_cast<regs::StatementId>(out.problem.statements.size());
  out.problem.statements.push_back(std::move(statement));
  mine.push_back(id);
  into.push_back(id);
  return id;
}

void Translator::clobber(regs::Statement &statement, uint32_t mask) const {
  const std::vector<uint32_t> &scratch = recording.machine.processor.scratch;
  for (uint32_t reg = 0; reg < scratch.size(); ++reg)
    if (mask >> scratch[reg] & 1)
      statement.clobbers.push_back(reg);
}

static void holdAll(regs::Statement &statement, const Node &node) {
  for (const Held &held : node.held)
    statement.uses.push_back({held.value, held.late});
}

void Translator::fence(NodeIndex index, Statements &into) {
  const Node &node = recording.nodes[index];
  bool all = node.instruction.opcode == isa::Opcode::Fence;
  for (uint32_t queue = 0; queue < recording.machine.queues.size(); ++queue) {
    regs::Statement wait;
    wait.kind = regs::StatementKind::Wait;
    wait.queue = queue;
    if (!all) {
      if (node.instruction.operand(isa::OperandKind::Queue) != queue)
        continue;
      wait.pending = node.instruction.operand(isa::OperandKind::Immediate);
      if (wait.pending > 0 && !recording.machine.engineOf(queue).inOrder)
        wait = {};
    }
    add(index, std::move(wait), into);
  }
}

void Translator::instruction(NodeIndex index, Statements &into) {
  const Node &node = recording.nodes[index];
  const isa::InstructionInfo &info = node.instruction.info();
  if (info.unit == isa::Unit::Fence)
    return fence(index, into);
  regs::Statement statement;
  isa::RegisterEffects effects =
      isa::registerEffects(node.instruction, recording.machine.latchesOperands);
  for (const isa::RegisterRead &read : effects.reads)
    statement.uses.push_back(
        {valueAt(read.reg), read.time == isa::ReadTime::Late});
  if (effects.write)
    statement.defs.push_back(valueAt(*effects.write));
  clobber(statement, effects.clobbers);
  if (info.unit == isa::Unit::Queued)
    statement.queue = node.instruction.operand(isa::OperandKind::Queue);
  holdAll(statement, node);
  add(index, std::move(statement), into);
}

void Translator::translate(NodeIndex index, Statements &into) {
  const Node &node = recording.nodes[index];
  if (node.kind == NodeKind::Instruction)
    return instruction(index, into);
  regs::Statement statement;
  if (node.kind == NodeKind::Reserve)
    statement.defs.push_back(node.held.front().value);
  else
    holdAll(statement, node);
  clobber(statement, node.clobbers);
  if (node.kind == NodeKind::If)
    for (const isa::RegisterRead &read :
         isa::registerEffects(node.instruction).reads)
      statement.uses.push_back({valueAt(read.reg)});
  if (node.kind == NodeKind::Loop) {
    statement.kind = regs::StatementKind::Loop;
    statement.trips = node.trips;
  } else if (node.kind == NodeKind::If) {
    statement.kind = regs::StatementKind::If;
  }
  regs::StatementId id = add(index, std::move(statement), into);
  Statements body = bodyOf(node.body), otherwise = bodyOf(node.otherwise);
  out.problem.statements[id].body = std::move(body);
  out.problem.statements[id].otherwise = std::move(otherwise);
}

std::vector<regs::StatementId> Translator::bodyOf(const Body &body) {
  Statements result;
  for (NodeIndex index : body)
    translate(index, result);
  return result;
}

RegisterAssignment Translator::run() {
  regs::RegisterProblem &problem = out.problem;
  problem.file.count =
      static_cast<int64_t>(recording.machine.processor.scratch.size());
  for (const machine::Queue &queue : recording.machine.queues)
    problem.queues.push_back(queue.name);
  for (ValueIndex index = 0; index < recording.values.size(); ++index) {
    const BorrowedValue &value = recording.values[index];
    problem.values.push_back(
        {"%" + std::to_string(index), value.role + ", " + value.where});
  }
  problem.body = bodyOf(recording.body);
  return std::move(out);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The plan with the fewest registers; at least as many as live at one point.
static Result<regs::RegisterSolution>
planWithFewest(regs::RegisterProblem problem, const Recording &recording) {
  int64_t most = problem.file.count;
  Result<regs::RegisterSolution> full =
      regs::planRegisters(problem, nullptr, recording.options.seed);
  if (!full)
    return full;
  int64_t least = regs::makeReport(problem, *full).peak;
  for (problem.file.count = std::max<int64_t>(1, least);
       problem.file.count < most; ++problem.file.count)
    if (auto plan =
            regs::planRegisters(problem, nullptr, recording.options.seed))
      return plan;
  return full;
}

Result<RegisterAssignment>
tally::emit::assignRegisters(const Recording &recording) {
  RegisterAssignment result = Translator(recording).run();
  bool canShrink = recording.options.minimalPool;
  for (const regs::Statement &statement : result.problem.statements)
    canShrink &= statement.clobbers.empty(); // they name registers
  Result<regs::RegisterSolution> solution =
      canShrink ? planWithFewest(result.problem, recording)
                : regs::planRegisters(result.problem, nullptr,
                                      recording.options.seed);
  if (!solution)
    return solution.takeError();
  result.solution = std::move(*solution);
  return result;
}
