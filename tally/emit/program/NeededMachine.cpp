//===- NeededMachine.cpp - the machine that a program names ---------------===//

#include "tally/emit/program/NeededMachine.h"

using namespace tally::isa;
using tally::machine::Engine;
using tally::machine::EngineKind;
using tally::machine::Machine;

static Engine engineFor(const QueueNeed &queue) {
  Engine engine;
  engine.name = queue.name;
  engine.kind = queue.kind;
  engine.inOrder = queue.inOrder;
  engine.types = queue.types;
  engine.dma.direction = queue.direction;
  engine.matrix.depthwiseChannels = queue.depthwise ? 1 : 0;
  engine.matrix.depthwiseTaps = queue.depthwise ? 1 : 0;
  return engine;
}

static void addQueue(Machine &machine, Engine engine) {
  machine.queues.push_back({engine.name, uint32_t(machine.engines.size())});
  machine.engines.push_back(std::move(engine));
}

/// Instructions name at most 16 queues, whatever a note says.
static constexpr size_t kMostQueues = 16;

Machine tally::isa::neededMachine(const Requirements &needs) {
  Machine machine;
  machine.name = needs.machine;
  machine.isaVersion = needs.isa;
  machine.processor.isEmbedded = needs.scalarRegisters <= 16;
  machine.processor.hasMultiply = needs.multiply;
  machine.latchesOperands = needs.latchedOperands;
  machine.requantize = needs.requantize;
  machine.sync.kind = needs.syncKind;
  machine.sync.count = needs.syncRegisters;
  machine.sync.bits = needs.syncBits;
  machine.sync.relativeWaits = needs.relativeWaits;
  machine.sync.scalarThresholds = needs.scalarThresholds;
  machine.sram.bytes = needs.sramBytes;
  machine.accumulators.bytes = needs.accumulatorBytes;
  for (const QueueNeed &queue : needs.queues) {
    while (machine.queues.size() < kMostQueues &&
           int64_t(machine.queues.size()) < queue.number)
      addQueue(machine,
               {.name = "queue" + std::to_string(machine.queues.size()),
                .kind = EngineKind::Vector});
    if (machine.queues.size() < kMostQueues)
      addQueue(machine, engineFor(queue));
  }
  return machine;
}
