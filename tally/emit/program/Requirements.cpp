//===- Requirements.cpp - which machines can run a program ----------------===//

#include "tally/emit/encode/Encode.h"
#include "tally/emit/program/Program.h"

#include <algorithm>
#include <map>

using namespace tally;
using namespace tally::isa;
using machine::Direction;
using machine::EngineKind;
using machine::Machine;

//===----------------------------------------------------------------------===//
// What a text needs
//===----------------------------------------------------------------------===//

namespace {

class Collector {
public:
  explicit Collector(const Machine &machine) : machine(machine) {
    needs.machine = machine.name;
    needs.isa = machine.isaVersion;
    needs.latchedOperands = machine.latchesOperands;
    needs.syncKind = machine.sync.kind;
    needs.syncKey = machine.sync.key;
    needs.syncCompare = machine.sync.compare;
    needs.syncBits = machine.sync.bits;
    needs.multipleWaiters = machine.sync.multipleWaiters;
    needs.requantize = machine.requantize;
    needs.sramBytes = machine.sram.bytes;
    needs.accumulatorBytes = machine.accumulators.bytes;
  }

  void visit(const Instruction &instruction) {
    std::span<const OperandInfo> operands = instruction.info().operands();
    for (size_t i = 0; i < operands.size(); ++i)
      visit(operands[i].kind, instruction.operands[i]);
    needs.multiply |= instruction.opcode == Opcode::Mul;
    needs.relativeWaits |= instruction.opcode == Opcode::WaitRel;
    needs.scalarThresholds |= instruction.opcode == Opcode::WaitGeR;
    visitConfig(instruction);
  }

  Requirements take() {
    for (auto &[number, queue] : queues)
      needs.queues.push_back(queue);
    return std::move(needs);
  }

private:
  void visit(OperandKind kind, int64_t value) {
    if (kind == OperandKind::Rd || kind == OperandKind::Rs1 ||
        kind == OperandKind::Rs2)
      needs.scalarRegisters = std::max(needs.scalarRegisters, value + 1);
    if (kind == OperandKind::Sync)
      needs.syncRegisters = machine.syncRegisters();
    if (kind == OperandKind::Queue)
      visitQueue(value);
  }

  void visitQueue(int64_t number) {
    if (number >= int64_t(machine.queues.size()) || queues.contains(number))
      return;
    const machine::Engine &engine = machine.engineOf(uint32_t(number));
    queues[number] = {number,         machine.queues[size_t(number)].name,
                      engine.kind,    engine.dma.direction,
                      engine.inOrder, false,
                      engine.types};
  }

  /// A depthwise mode is needed where its field may be 1.
  void visitConfig(const Instruction &instruction) {
    bool writes = instruction.opcode == Opcode::CfgI ||
                  instruction.opcode == Opcode::CfgR;
    if (!writes || instruction.operand(OperandKind::Field) !=
                       int64_t(MatrixField::Depthwise))
      return;
    auto queue = queues.find(instruction.operand(OperandKind::Queue));
    if (queue != queues.end() && queue->second.kind == EngineKind::Matrix)
      queue->second.depthwise |=
          instruction.opcode == Opcode::CfgR ||
          instruction.operand(OperandKind::Immediate) != 0;
  }

  const Machine &machine;
  Requirements needs;
  std::map<int64_t, QueueNeed> queues;
};

} // namespace

Requirements tally::isa::requirementsOf(const std::vector<uint32_t> &text,
                                        const Machine &machine) {
  Collector collector(machine);
  for (uint32_t word : text)
    if (Result<Instruction> instruction = decode(word))
      collector.visit(*instruction);
  return collector.take();
}

//===----------------------------------------------------------------------===//
// What a machine has
//===----------------------------------------------------------------------===//

namespace {

/// Remembers the first requirement that does not hold.
class Checker {
public:
  Checker(const Program &program, const Machine &machine)
      : needs(program.requirements), machine(machine) {}

  Status check() {
    checkProcessor();
    for (const QueueNeed &queue : needs.queues)
      checkQueue(queue);
    if (needs.syncRegisters > 0)
      checkSync();
    checkUnits();
    checkMemories();
    if (missing.empty())
      return Status::success();
    Diagnostic failure;
    failure.kind = FailureKind::Unsupported;
    failure.rule = "PROG-5";
    failure.message = "the program, made for machine '" + needs.machine +
                      "', cannot run on '" + machine.name + "': it needs " +
                      missing;
    failure.hint = "make it for this machine, or run it on one that has this";
    return failure;
  }

private:
  void need(bool holds, const std::string &what) {
    if (!holds && missing.empty())
      missing = what;
  }
  void needNumber(int64_t has, int64_t needed, const std::string &what) {
    need(has >= needed, std::to_string(needed) + " " + what + ", and there " +
                            (has == 1 ? "is " : "are ") + std::to_string(has));
  }

  void checkProcessor() {
    need(machine.isaVersion == needs.isa,
         "version " + std::to_string(needs.isa) + " of the instruction set");
    needNumber(machine.processor.registers(), needs.scalarRegisters,
               "scalar registers");
    need(machine.processor.hasMultiply || !needs.multiply, "multiplication");
    need(machine.latchesOperands || !needs.latchedOperands,
         "scalar operands of commands latched at issue");
  }

  void checkQueue(const QueueNeed &queue) {
    std::string name =
        "queue " + std::to_string(queue.number) + ", '" + queue.name + "'";
    bool exists = queue.number < int64_t(machine.queues.size());
    need(exists, name);
    if (!exists)
      return;
    const machine::Engine &engine = machine.engineOf(uint32_t(queue.number));
    need(engine.kind == queue.kind,
         name + ", to be a " + std::string(engineKindName(queue.kind)) +
             " engine");
    if (engine.kind == EngineKind::Dma)
      need(engine.dma.direction == Direction::Both ||
               engine.dma.direction == queue.direction,
           name + ", to move the other way, too");
    need(engine.inOrder || !queue.inOrder, name + ", to complete in order");
    if (engine.kind == EngineKind::Matrix)
      need(engine.matrix.depthwiseChannels > 0 || !queue.depthwise,
           name + ", to have a depthwise mode");
    for (machine::ElementType type : queue.types)
      need(engine.takes(type),
           name + ", to take " + std::string(elementTypeName(type)));
  }

  void checkSync() {
    const machine::SyncFile &file = machine.sync;
    constexpr const char *kinds[] = {"counters", "tokens", "flags"};
    need(file.kind == needs.syncKind,
         std::string("synchronization registers that are ") +
             kinds[size_t(needs.syncKind)]);
    need(file.key == needs.syncKey,
         "synchronization registers with another key");
    need(file.compare == needs.syncCompare, "counters that compare otherwise");
    needNumber(machine.syncRegisters(), needs.syncRegisters,
               "synchronization registers");
    needNumber(file.bits, needs.syncBits, "bits of synchronization registers");
    need(file.multipleWaiters || !needs.multipleWaiters,
         "several waiting queues of one register");
    need(file.relativeWaits || !needs.relativeWaits, "relative waits");
    need(file.scalarThresholds || !needs.scalarThresholds,
         "scalar thresholds of waits");
  }

  void checkUnits() {
    bool computes =
        std::ranges::any_of(needs.queues, [](const QueueNeed &queue) {
          return queue.kind != EngineKind::Dma;
        });
    for (const machine::RequantizeUnit &unit : needs.requantize) {
      if (!computes)
        return;
      std::string of = std::to_string(unit.resultBits) + "-bit results";
      const machine::RequantizeUnit *has =
          machine.requantizeFor(unit.resultBits);
      need(has != nullptr, "a requantize unit for " + of);
      if (!has)
        return;
      needNumber(has->multiplierBits, unit.multiplierBits,
                 "bits of multiplier for " + of);
      needNumber(has->offsetBits, unit.offsetBits, "bits of offset for " + of);
    }
  }

  void checkMemories() {
    needNumber(machine.sram.bytes, needs.sramBytes, "bytes of SRAM");
    needNumber(machine.accumulators.bytes, needs.accumulatorBytes,
               "bytes of accumulators");
  }

  const Requirements &needs;
  const Machine &machine;
  std::string missing;
};

} // namespace

Status tally::isa::checkMachine(const Program &program,
                                const Machine &machine) {
  return Checker(program, machine).check();
}
