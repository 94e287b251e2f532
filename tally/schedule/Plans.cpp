//===- Plans.cpp - synchronization of a program ---------------------------===//

#include "tally/schedule/Plans.h"
#include "tally/schedule/Facts.h"
#include "tally/schedule/NeededOrder.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
namespace synchro = tally::plan::sync;

static SmallVector<npu::CommandOp> commandsOf(npu::ProgramOp program) {
  return llvm::to_vector(program.getBody().front().getOps<npu::CommandOp>());
}

/// Bits of the immediate of wait.ge.
static int64_t thresholdBits() {
  const isa::InstructionInfo &info = isa::infoOf(isa::Opcode::WaitGe);
  return info.operands()[*info.find(isa::OperandKind::Immediate)].bits;
}

static synchro::SyncFile fileOf(const tally::machine::SyncFile &file,
                                std::optional<int64_t> registers) {
  synchro::SyncFile result;
  result.kind = synchro::FileKind(file.kind);
  result.key = synchro::FileKey(file.key);
  result.count = std::min(file.count, registers.value_or(file.count));
  // Thresholds beyond an immediate would take scalar registers that queues read
  // late; epochs that end sooner cost less.
  result.bits = std::min<int64_t>(file.bits, thresholdBits());
  for (uint32_t number : file.reserved)
    if (number < result.count)
      result.reserved.push_back(number);
  result.drains = true;
  return result;
}

static synchro::SyncProblem problemOf(MutableArrayRef<npu::CommandOp> commands,
                                      const machine::Machine &machine,
                                      std::optional<int64_t> registers) {
  synchro::SyncProblem problem;
  problem.file = fileOf(machine.sync, registers);
  for (const machine::Queue &queue : machine.queues) {
    const machine::Engine &engine = machine.engines[queue.engine];
    problem.queues.push_back({queue.name, engine.depth, engine.inOrder});
  }
  for (auto [i, command] : llvm::enumerate(commands)) {
    synchro::Operation operation;
    std::string node = modelNode(command.getOperation());
    operation.name = std::to_string(i) + (node.empty() ? "" : " " + node);
    operation.queue = uint32_t(command.getQueue());
    operation.duration =
        isa::cyclesOf(npu::commandOf(command, /*placed=*/true), machine);
    problem.operations.push_back(std::move(operation));
  }
  for (const OrderedPair &pair : neededOrder(commands, machine))
    problem.dependencies.push_back(
        {synchro::Op(pair.first), synchro::Op(pair.second)});
  return problem;
}

/// The number that instructions use (machine::Machine::syncRegisters).
static int64_t numberOf(const synchro::Register &reg,
                        const machine::Machine &machine) {
  int64_t source = reg.source, queues = int64_t(machine.queues.size());
  switch (machine.sync.key) {
  case machine::SyncKey::Global:
    return reg.number;
  case machine::SyncKey::Source:
    return source * machine.sync.count + reg.number;
  case machine::SyncKey::SourceDestination:
    return (source * queues + reg.destination) * machine.sync.count +
           reg.number;
  }
  return reg.number;
}

namespace {
/// What a plan adds to each command.
struct Additions {
  SmallVector<int64_t> waits, clears, signals;
  bool drains = false;
};
} // namespace

static std::vector<Additions> additionsOf(const synchro::SyncPlan &plan,
                                          size_t commands,
                                          ArrayRef<int64_t> numbers) {
  std::vector<Additions> additions(commands);
  for (const synchro::Wait &wait : plan.waits)
    additions[wait.op].waits.append({numbers[wait.reg], wait.value});
  for (const synchro::Clear &clear : plan.clears)
    additions[clear.op].clears.push_back(numbers[clear.reg]);
  for (const synchro::Signal &signal : plan.signals)
    additions[signal.op].signals.push_back(numbers[signal.reg]);
  for (synchro::Op op : plan.drains)
    additions[op].drains = true;
  return additions;
}

static void annotate(npu::CommandOp command, const Additions &additions) {
  Builder builder(command.getContext());
  auto list = [&](ArrayRef<int64_t> values) {
    return values.empty() ? DenseI64ArrayAttr()
                          : builder.getDenseI64ArrayAttr(values);
  };
  command.setWaitsAttr(list(additions.waits));
  command.setClearsAttr(list(additions.clears));
  command.setSignalsAttr(list(additions.signals));
  command.setDrains(additions.drains);
}

Result<SyncPlan> tally::schedule::planSync(npu::ProgramOp program,
                                           const machine::Machine &machine,
                                           const SyncOptions &options) {
  auto commands = commandsOf(program);
  SyncPlan plan;
  plan.problem = problemOf(commands, machine, options.registers);
  auto solution =
      synchro::solve(plan.problem, {.priceCurve = options.priceFewer});
  if (!solution)
    return solution.takeError();
  SmallVector<int64_t> numbers, finalClears;
  for (const synchro::Register &reg : solution->plan.registers)
    numbers.push_back(numberOf(reg, machine));
  for (uint32_t reg : solution->plan.finalClears)
    finalClears.push_back(numbers[reg]);
  auto additions = additionsOf(solution->plan, commands.size(), numbers);
  for (auto [command, added] : llvm::zip(commands, additions))
    annotate(command, added);
  Builder builder(program.getContext());
  program.setRegistersAttr(builder.getDenseI64ArrayAttr(numbers));
  program.setFinalClearsAttr(builder.getDenseI64ArrayAttr(finalClears));
  plan.solution = std::move(*solution);
  return plan;
}
