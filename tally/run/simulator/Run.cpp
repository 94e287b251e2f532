//===- Run.cpp - one call of a program ------------------------------------===//
//
// The processor has a clock of its own and the timeline another. Before the
// processor does anything at its time, the timeline goes through all events up
// to then, so that what commands did is seen; while the processor is held up by
// a full queue or a fence, the timeline goes from event to event until it is
// not. When it is held up and no event is left, nothing will ever happen.
//
// Example: at 12 the processor appends to a queue of depth 1 whose command ends
// at 40: it is held up for 28 cycles and goes on at 40.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/Run.h"

#include <algorithm>

using namespace tally;
using namespace tally::simulator;
using isa::Instruction;
using isa::Opcode;
using isa::OperandKind;
using isa::Unit;

Run::Run(const machine::Machine &machine, const Code &code, Memory &memory,
         SyncState &sync, const RunOptions &options)
    : machine(machine), code(code), memory(memory), sync(sync),
      options(options), processor(machine), timeline(machine, sync, *this),
      macs(machine.queues.size()), freeSince(machine.queues.size()),
      random(options.perturbation.value_or(0)) {
  for (uint32_t queue = 0; queue < machine.queues.size(); ++queue)
    staged.emplace_back(machine.engineOf(queue).kind);
  counts.full.resize(machine.queues.size());
  processor.pc = code.entry;
  nameNodes();
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

void Run::advanceTo(int64_t time) {
  timeline.advance(time);
  if (timeline.fault() && !fault)
    failQueue(*timeline.fault());
}

/// Lets happen what happens before the processor's time.
void Run::catchUp() {
  if (timeline.nextEvent() && *timeline.nextEvent() <= clock)
    advanceTo(clock);
}

void Run::waitUntil(const std::function<bool()> &isOver, int64_t &stalled,
                    const std::string &name) {
  advanceTo(clock);
  int64_t begin = clock;
  while (!fault && !isOver()) {
    std::optional<int64_t> next = timeline.nextEvent();
    if (!next)
      return fail({rule::kHang, "nothing can happen any more: the processor "
                                "waits in " +
                                    name + ", and no queue goes on"});
    advanceTo(*next);
  }
  clock = std::max(clock, timeline.now());
  stalled += clock - begin;
  if (clock > begin)
    traceProcessor(begin, name);
}

//===----------------------------------------------------------------------===//
// The processor
//===----------------------------------------------------------------------===//

void Run::step() {
  catchUp();
  if (fault)
    return;
  current = processor.pc;
  std::optional<size_t> place = code.find(current);
  if (!place)
    return fail({rule::kCode, "the processor leaves the program's text"});
  const std::optional<Instruction> &instruction = code.instructions[*place];
  if (!instruction)
    return fail({rule::kCode, "the word " + std::to_string(code.words[*place]) +
                                  " is no instruction"});
  if (++counts.instructions > options.maxInstructions)
    return fail({rule::kHang, "the program does not end: more than " +
                                  std::to_string(options.maxInstructions) +
                                  " instructions"});
  int64_t cycles = isa::cyclesOf(instruction->opcode, machine);
  if (options.perturbation && random() % 16 == 0)
    cycles += int64_t(random() % 512);
  executeInstruction(*instruction);
  counts.executing += cycles;
  clock += cycles;
}

void Run::executeInstruction(const Instruction &instruction) {
  switch (instruction.info().unit) {
  case Unit::Stage:
    return stage(instruction);
  case Unit::Queued:
    return issue(instruction);
  case Unit::Fence:
    return fence(instruction);
  case Unit::Processor:
    break;
  }
  if (instruction.opcode == Opcode::Ebreak)
    return fail({rule::kEbreak, "the program ends itself as failed"});
  if (instruction.opcode == Opcode::Reset) {
    int64_t reg = instruction.operand(OperandKind::Sync);
    if (reg >= sync.registers())
      return fail({rule::kSync, "there is no synchronization register s" +
                                    std::to_string(reg)});
    advanceTo(clock);
    sync.reset(reg);
    timeline.settle();
    processor.pc += uint32_t(isa::kInstructionBytes);
    return;
  }
  if (auto wrong = executeScalar(instruction))
    fail(std::move(*wrong));
}

void Run::stage(const Instruction &instruction) {
  if (auto wrong = processor.checkRegisters(instruction))
    return fail(std::move(*wrong));
  int64_t queue = instruction.operand(OperandKind::Queue);
  if (queue >= int64_t(staged.size()))
    return fail({rule::kField, "there is no queue " + std::to_string(queue)});
  isa::Configuration &config = staged[size_t(queue)];
  auto field = uint32_t(instruction.operand(OperandKind::Field));
  Status status =
      instruction.opcode == Opcode::CfgI
          ? config.set(field, instruction.operand(OperandKind::Immediate))
          : config.setRegister(
                field, processor.read(
                           uint32_t(instruction.operand(OperandKind::Rs1))));
  if (!status)
    return fail({rule::kField, status.error().message});
  processor.pc += uint32_t(isa::kInstructionBytes);
}

void Run::prepareCommand(const Instruction &instruction, Entry &entry) {
  auto [queue, code, rs1, rs2] = instruction.operands;
  if (!isa::findCommand(code))
    return fail({rule::kField, "there is no command " + std::to_string(code)});
  entry.command.code = isa::CommandCode(code);
  entry.command.queue = uint32_t(queue);
  entry.command.config = staged[size_t(queue)];
  entry.command.firstAddend = int32_t(processor.read(uint32_t(rs1)));
  entry.command.resultAddend = int32_t(processor.read(uint32_t(rs2)));
  if (!machine.latchesOperands) {
    entry.lateFirst = uint32_t(rs1);
    entry.lateResult = uint32_t(rs2);
  }
}

void Run::prepareSync(const Instruction &instruction, uint32_t queue,
                      Entry &entry) {
  entry.sync = instruction.operand(OperandKind::Sync);
  if (auto wrong = sync.admit(instruction.opcode, entry.sync, queue))
    return fail({rule::kSync, std::move(*wrong)});
  switch (instruction.opcode) {
  case Opcode::Signal:
    return sync.countIssued(entry.sync);
  case Opcode::WaitGe:
    entry.threshold = instruction.operand(OperandKind::Immediate);
    return;
  case Opcode::WaitRel: {
    int64_t threshold =
        sync.issued(entry.sync) - instruction.operand(OperandKind::Immediate);
    if (threshold > 0)
      entry.threshold = threshold;
    return;
  }
  case Opcode::WaitGeR: {
    auto reg = uint32_t(instruction.operand(OperandKind::Rs1));
    entry.threshold = processor.read(reg);
    entry.lateReg = machine.latchesOperands ? 0 : reg;
    return;
  }
  default:
    return;
  }
}

void Run::issue(const Instruction &instruction) {
  if (auto wrong = processor.checkRegisters(instruction))
    return fail(std::move(*wrong));
  auto queue = uint32_t(instruction.operand(OperandKind::Queue));
  if (queue >= staged.size())
    return fail({rule::kField, "there is no queue " + std::to_string(queue)});
  if (isTimed())
    waitUntil([&] { return !timeline.isFull(queue); }, counts.full[queue],
              "full " + machine.queues[queue].name);
  if (fault)
    return;
  Entry entry;
  entry.instruction = instruction;
  entry.pc = current;
  entry.number = issued++;
  if (entry.isCommand())
    prepareCommand(instruction, entry);
  else
    prepareSync(instruction, queue, entry);
  if (fault)
    return;
  processor.pc += uint32_t(isa::kInstructionBytes);
  if (!isTimed()) {
    if (entry.isCommand())
      if (auto wrong = execute(entry))
        fail(std::move(*wrong));
    return;
  }
  if (options.perturbation)
    perturb(entry);
  timeline.append(queue, std::move(entry));
  if (timeline.fault())
    failQueue(*timeline.fault());
}

void Run::fence(const Instruction &instruction) {
  if (instruction.opcode == Opcode::FenceQueue) {
    auto queue = uint32_t(instruction.operand(OperandKind::Queue));
    int64_t most = instruction.operand(OperandKind::Immediate);
    if (queue >= staged.size())
      return fail({rule::kField, "there is no queue " + std::to_string(queue)});
    waitUntil([&] { return timeline.pending(queue) <= most; }, counts.fence,
              "fence " + machine.queues[queue].name);
  } else {
    waitUntil([&] { return timeline.isEmpty(); }, counts.fence,
              std::string(instruction.info().mnemonic));
  }
  processor.pc += uint32_t(isa::kInstructionBytes);
  if (instruction.opcode != Opcode::Ecall || fault)
    return;
  hasEnded = true;
  for (int64_t reg = 0; reg < sync.registers(); ++reg)
    if (sync.value(reg) != 0)
      return fail({rule::kSync, "the program ends, and synchronization "
                                "register s" +
                                    std::to_string(reg) + " is " +
                                    std::to_string(sync.value(reg)) +
                                    ", not 0"});
}

Outcome Run::run() {
  if (options.perturbation)
    processor.poison(uint32_t(random()));
  while (!hasEnded && !fault)
    step();
  advanceTo(clock);
  Outcome outcome{collect(), fault};
  if (options.trace)
    options.trace->finish(outcome.counters.cycles);
  return outcome;
}
