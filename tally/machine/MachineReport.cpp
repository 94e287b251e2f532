//===- MachineReport.cpp - a machine for people ---------------------------===//

#include "tally/machine/MachineReport.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tally::machine;
using llvm::formatv;
using llvm::raw_ostream;

/// "1 MiB", "96 KiB", "100 bytes".
static std::string sizeText(int64_t bytes) {
  constexpr int64_t kibi = 1024, mebi = kibi * kibi;
  if (bytes >= mebi && bytes % mebi == 0)
    return std::to_string(bytes / mebi) + " MiB";
  if (bytes >= kibi && bytes % kibi == 0)
    return std::to_string(bytes / kibi) + " KiB";
  return std::to_string(bytes) + " bytes";
}

static void row(raw_ostream &out, const std::string &name,
                const std::string &text) {
  out << formatv("  {0,-14} {1}\n", name, text);
}

static void printProcessor(raw_ostream &out, const Machine &machine) {
  const Processor &processor = machine.processor;
  std::string scratch;
  for (uint32_t reg : processor.scratch)
    scratch += (scratch.empty() ? "x" : " x") + std::to_string(reg);
  out << "processor\n";
  row(out, "subset",
      processor.subset() + ", instruction set version " +
          std::to_string(machine.isaVersion));
  row(out, "scratch",
      std::to_string(processor.scratch.size()) + ": " + scratch);
  row(out, "speed",
      std::to_string(processor.cyclesPerInstruction) +
          (processor.cyclesPerInstruction == 1 ? " cycle" : " cycles") +
          " for an instruction");
  row(out, "operands",
      machine.latchesOperands ? "of queued commands latched at issue"
                              : "of queued commands may be read late");
}

static std::string unitText(const Engine &engine) {
  constexpr const char *ways[] = {"in", "out", "both ways"};
  switch (engine.kind) {
  case EngineKind::Dma:
    return formatv("{0}, {1} bytes/cycle, latency {2}",
                   ways[size_t(engine.dma.direction)], engine.dma.bytesPerCycle,
                   engine.dma.latency);
  case EngineKind::Matrix: {
    const MatrixUnit &unit = engine.matrix;
    std::string text = formatv(
        "{0} x {1} array, {2} MAC/cycle, {3} weight bytes/cycle, {4} output "
        "lanes",
        unit.rows, unit.columns, unit.rows * unit.columns,
        unit.weightBytesPerCycle, unit.outputLanes);
    if (unit.depthwiseChannels > 0)
      text += formatv(", depthwise {0} channels x {1} taps",
                      unit.depthwiseChannels, unit.depthwiseTaps);
    return text;
  }
  case EngineKind::Vector:
    return formatv("{0} lanes, exponentials and divisions {1} times as long",
                   engine.vector.lanes, engine.vector.slowFactor);
  }
  return {};
}

static void printEngines(raw_ostream &out, const Machine &machine) {
  out << "engines\n";
  for (const Engine &engine : machine.engines) {
    row(out, engine.name,
        formatv("{0} x {1}, {2} entries deep, {3}", engine.count,
                engineKindName(engine.kind), engine.depth,
                engine.inOrder ? "completes in order"
                               : "completes out of order"));
    row(out, "", unitText(engine));
    if (engine.types.empty())
      continue;
    std::string types = "types";
    for (ElementType type : engine.types)
      types += " " + std::string(elementTypeName(type));
    row(out, "", types);
  }
  out << "queues\n";
  for (size_t q = 0; q < machine.queues.size(); ++q)
    row(out, std::to_string(q), machine.queues[q].name);
}

static void printSync(raw_ostream &out, const Machine &machine) {
  constexpr const char *kinds[] = {"counters", "tokens", "flags"};
  constexpr const char *keys[] = {"global", "for each source",
                                  "for each source and destination"};
  const SyncFile &file = machine.sync;
  out << "synchronization\n";
  row(out, "registers",
      formatv("{0} {1}, {2}", file.count, kinds[size_t(file.kind)],
              keys[size_t(file.key)]));
  if (file.kind != SyncKind::Flag)
    row(out, "bits", std::to_string(file.bits));
  std::string waits =
      formatv("{0} free before a command", file.waitsPerCommand);
  if (file.compare == SyncCompare::Modular)
    waits += ", compare modulo their bits";
  waits += file.multipleWaiters ? ", several queues on one register"
                                : ", one queue on one register";
  if (file.relativeWaits)
    waits += ", relative";
  if (file.scalarThresholds)
    waits += ", scalar thresholds";
  row(out, "waits", waits);
  for (uint32_t reserved : file.reserved)
    row(out, "reserved", std::to_string(reserved));
}

static void printMemories(raw_ostream &out, const Machine &machine) {
  const GlobalMemory &global = machine.global;
  out << "memories\n";
  row(out, "global",
      formatv("{0} address bits, granule {1}, alignment {2}, {3} bytes/cycle",
              global.addressBits, global.granule, global.alignment,
              global.bytesPerCycle));
  for (const Window &window : global.windows)
    row(out, "", formatv("window {0:x} to {1:x}", window.begin, window.end));
  const Sram &sram = machine.sram;
  row(out, "sram",
      formatv("{0}, {1} banks, alignment {2}, reads {3} x {4}, writes {5} x "
              "{6} bytes/cycle",
              sizeText(sram.bytes), sram.banks, sram.alignment, sram.readPorts,
              sram.readBytesPerCycle, sram.writePorts,
              sram.writeBytesPerCycle));
  row(out, "accumulators",
      formatv("{0}, alignment {1}", sizeText(machine.accumulators.bytes),
              machine.accumulators.alignment));
}

void tally::machine::printMachine(raw_ostream &out, const Machine &machine) {
  out << "machine " << machine.name << ", " << machine.clockHz / 1000000
      << " MHz\n";
  printProcessor(out, machine);
  printEngines(out, machine);
  out << "requantize\n";
  for (const RequantizeUnit &unit : machine.requantize)
    row(out, std::to_string(unit.resultBits) + "-bit results",
        formatv("{0}-bit multiplier, {1}-bit offset for each channel, round "
                "half to even",
                unit.multiplierBits, unit.offsetBits));
  printSync(out, machine);
  printMemories(out, machine);
}
