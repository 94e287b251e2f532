//===- Plans.cpp - addresses and synchronization of a program -------------===//

#include "tally/schedule/Plans.h"
#include "tally/plan/memory/Solver.h"
#include "tally/plan/sync/Solver.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
namespace memory = tally::plan::memory;
namespace synchro = tally::plan::sync;

static SmallVector<npu::CommandOp> commandsOf(npu::ProgramOp program) {
  return llvm::to_vector(program.getBody().front().getOps<npu::CommandOp>());
}

static void setOffset(npu::StorageOp storage, int64_t offset) {
  storage.setOffsetAttr(
      Builder(storage.getContext()).getI64IntegerAttr(offset));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The memory planner takes queues to complete in order: each command of one
/// that does not is a queue of its own.
static void addOperations(MutableArrayRef<npu::CommandOp> commands,
                          const machine::Machine &machine,
                          memory::MemoryProblem &problem) {
  for (const machine::Queue &queue : machine.queues)
    problem.queues.push_back(queue.name);
  for (auto [i, command] : llvm::enumerate(commands)) {
    memory::Operation operation;
    operation.name = std::to_string(i);
    operation.queue = uint32_t(command.getQueue());
    if (!machine.engineOf(operation.queue).inOrder) {
      operation.queue = uint32_t(problem.queues.size());
      problem.queues.push_back("command " + operation.name);
    }
    for (int64_t before : *command.getAfter())
      operation.after.push_back(memory::OpId(before));
    problem.operations.push_back(std::move(operation));
  }
}

/// The storages of one memory; their places in the problem.
static SmallVector<npu::StorageOp>
addStorages(npu::ProgramOp program, MutableArrayRef<npu::CommandOp> commands,
            int64_t space, memory::MemoryProblem &problem) {
  SmallVector<npu::StorageOp> storages;
  DenseMap<Value, size_t> places;
  for (auto storage : program.getBody().front().getOps<npu::StorageOp>()) {
    if (int64_t(storage.getSpace()) != space)
      continue;
    memory::Storage entry;
    entry.name = (storage.getName() + "#" + Twine(storages.size())).str();
    entry.bytes = int64_t(storage.getBytes());
    entry.alignment = int64_t(storage.getAlignment());
    places[storage.getStorage()] = storages.size();
    storages.push_back(storage);
    problem.storages.push_back(std::move(entry));
  }
  for (auto [i, command] : llvm::enumerate(commands))
    for (Value storage : command.getStorages())
      if (auto place = places.find(storage); place != places.end())
        problem.storages[place->second].accesses.push_back(memory::OpId(i));
  for (memory::Storage &storage : problem.storages) {
    auto &accesses = storage.accesses;
    accesses.erase(std::unique(accesses.begin(), accesses.end()),
                   accesses.end());
  }
  return storages;
}

static Status planSpace(npu::ProgramOp program, const machine::Machine &machine,
                        int64_t space, int64_t bytes) {
  auto commands = commandsOf(program);
  memory::MemoryProblem problem;
  problem.limits.capacity = bytes;
  addOperations(commands, machine, problem);
  auto storages = addStorages(program, commands, space, problem);
  if (storages.empty())
    return Status::success();
  memory::SolveOptions options;
  options.fit = true;
  auto solution = memory::planMemory(problem, options);
  if (!solution)
    return solution.takeError();
  for (auto [storage, offset] : llvm::zip(storages, solution->plan.offsets))
    setOffset(storage, offset);
  return Status::success();
}

static void placeConstants(npu::ProgramOp program) {
  int64_t end = 0;
  for (auto storage : program.getBody().front().getOps<npu::StorageOp>()) {
    int64_t space = int64_t(storage.getSpace());
    if (space >= isa::kFirstCallerRegion && isa::isRegion(space))
      setOffset(storage, 0);
    if (space != isa::kConstantsRegion)
      continue;
    int64_t unit = int64_t(storage.getAlignment());
    end = (end + unit - 1) / unit * unit;
    setOffset(storage, end);
    end += int64_t(storage.getBytes());
  }
}

Status tally::schedule::planMemory(npu::ProgramOp program,
                                   const machine::Machine &machine) {
  placeConstants(program);
  if (Status status = planSpace(program, machine, isa::kAccumulators,
                                machine.accumulators.bytes);
      !status)
    return status;
  if (Status status =
          planSpace(program, machine, isa::kArenaRegion, memory::kUnlimited);
      !status)
    return status;
  return planSpace(program, machine, isa::kSram, machine.sram.bytes);
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

/// Bits of the immediate of wait.ge.
static int64_t thresholdBits() {
  const isa::InstructionInfo &info = isa::infoOf(isa::Opcode::WaitGe);
  return info.operands()[*info.find(isa::OperandKind::Immediate)].bits;
}

static synchro::SyncFile fileOf(const tally::machine::SyncFile &file) {
  synchro::SyncFile result;
  result.kind = synchro::FileKind(file.kind);
  result.key = synchro::FileKey(file.key);
  result.count = file.count;
  // Thresholds beyond an immediate would take scalar registers that queues read
  // late; epochs that end sooner cost less.
  result.bits = std::min<int64_t>(file.bits, thresholdBits());
  result.reserved = file.reserved;
  result.drains = true;
  return result;
}

static synchro::SyncProblem problemOf(MutableArrayRef<npu::CommandOp> commands,
                                      const machine::Machine &machine) {
  synchro::SyncProblem problem;
  problem.file = fileOf(machine.sync);
  for (const machine::Queue &queue : machine.queues) {
    const machine::Engine &engine = machine.engines[queue.engine];
    problem.queues.push_back({queue.name, engine.depth, engine.inOrder});
  }
  for (auto [i, command] : llvm::enumerate(commands)) {
    synchro::Operation operation;
    operation.name = std::to_string(i);
    operation.queue = uint32_t(command.getQueue());
    operation.duration =
        isa::cyclesOf(npu::commandOf(command, /*placed=*/true), machine);
    problem.operations.push_back(std::move(operation));
    for (int64_t before : *command.getAfter())
      problem.dependencies.push_back({synchro::Op(before), synchro::Op(i)});
  }
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

Status tally::schedule::planSync(npu::ProgramOp program,
                                 const machine::Machine &machine) {
  auto commands = commandsOf(program);
  auto solution = synchro::solve(problemOf(commands, machine));
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
  return Status::success();
}
