//===- MachineJson.cpp - a machine for programs ---------------------------===//

#include "tally/machine/MachineReport.h"

#include "llvm/Support/JSON.h"

using namespace tally::machine;
using llvm::json::OStream;

static llvm::StringRef text(std::string_view name) { return name; }

static void writeNumbers(OStream &json, const char *key,
                         const std::vector<uint32_t> &numbers) {
  json.attributeArray(key, [&] {
    for (uint32_t number : numbers)
      json.value(number);
  });
}

static void writeUnit(OStream &json, const Engine &engine) {
  constexpr const char *ways[] = {"in", "out", "both"};
  switch (engine.kind) {
  case EngineKind::Dma:
    json.attribute("direction", ways[size_t(engine.dma.direction)]);
    json.attribute("bytes-per-cycle", engine.dma.bytesPerCycle);
    json.attribute("latency", engine.dma.latency);
    break;
  case EngineKind::Matrix:
    json.attribute("rows", engine.matrix.rows);
    json.attribute("columns", engine.matrix.columns);
    json.attribute("weight-bytes-per-cycle", engine.matrix.weightBytesPerCycle);
    json.attribute("depthwise-channels", engine.matrix.depthwiseChannels);
    json.attribute("depthwise-taps", engine.matrix.depthwiseTaps);
    json.attribute("output-lanes", engine.matrix.outputLanes);
    json.attribute("startup", engine.matrix.startup);
    break;
  case EngineKind::Vector:
    json.attribute("lanes", engine.vector.lanes);
    json.attribute("slow-factor", engine.vector.slowFactor);
    json.attribute("startup", engine.vector.startup);
    break;
  }
}

static void writeEngine(OStream &json, const Engine &engine) {
  json.object([&] {
    json.attribute("name", engine.name);
    json.attribute("kind", text(engineKindName(engine.kind)));
    json.attribute("count", engine.count);
    json.attribute("depth", engine.depth);
    json.attribute("completion", engine.inOrder ? "in-order" : "out-of-order");
    json.attributeArray("types", [&] {
      for (ElementType type : engine.types)
        json.value(text(elementTypeName(type)));
    });
    json.attributeObject(text(engineKindName(engine.kind)),
                         [&] { writeUnit(json, engine); });
  });
}

static void writeSync(OStream &json, const SyncFile &file) {
  constexpr const char *kinds[] = {"counter", "token", "flag"};
  constexpr const char *keys[] = {"global", "source", "source-destination"};
  json.attribute("kind", kinds[size_t(file.kind)]);
  json.attribute("key", keys[size_t(file.key)]);
  json.attribute("count", file.count);
  json.attribute("bits", file.bits);
  json.attribute("compare", file.compare == SyncCompare::Absolute ? "absolute"
                                                                  : "modular");
  json.attribute("multiple-waiters", file.multipleWaiters);
  json.attribute("relative-waits", file.relativeWaits);
  json.attribute("scalar-thresholds", file.scalarThresholds);
  writeNumbers(json, "reserved", file.reserved);
  json.attribute("waits-per-command", file.waitsPerCommand);
}

static void writeMemory(OStream &json, const Machine &machine) {
  json.attributeObject("global", [&] {
    json.attribute("address-bits", machine.global.addressBits);
    json.attribute("granule", machine.global.granule);
    json.attribute("alignment", machine.global.alignment);
    json.attribute("bytes-per-cycle", machine.global.bytesPerCycle);
    json.attributeArray("windows", [&] {
      for (const Window &window : machine.global.windows)
        json.object([&] {
          json.attribute("begin", int64_t(window.begin));
          json.attribute("end", int64_t(window.end));
        });
    });
  });
  json.attributeObject("sram", [&] {
    json.attribute("bytes", machine.sram.bytes);
    json.attribute("banks", machine.sram.banks);
    json.attribute("alignment", machine.sram.alignment);
    json.attribute("read-ports", machine.sram.readPorts);
    json.attribute("read-bytes-per-cycle", machine.sram.readBytesPerCycle);
    json.attribute("write-ports", machine.sram.writePorts);
    json.attribute("write-bytes-per-cycle", machine.sram.writeBytesPerCycle);
  });
  json.attributeObject("accumulators", [&] {
    json.attribute("bytes", machine.accumulators.bytes);
    json.attribute("alignment", machine.accumulators.alignment);
  });
}

static void writeProcessor(OStream &json, const Processor &processor) {
  json.attribute("subset", processor.subset());
  writeNumbers(json, "scratch", processor.scratch);
  json.attribute("cycles-per-instruction", processor.cyclesPerInstruction);
}

static void writeUnits(OStream &json,
                       const std::vector<RequantizeUnit> &units) {
  for (const RequantizeUnit &unit : units)
    json.object([&] {
      json.attribute("result-bits", unit.resultBits);
      json.attribute("multiplier-bits", unit.multiplierBits);
      json.attribute("offset-bits", unit.offsetBits);
      json.attribute("ties", "even");
    });
}

void tally::machine::writeMachineJson(llvm::raw_ostream &out,
                                      const Machine &machine) {
  OStream json(out, 2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("name", machine.name);
    json.attribute("isa", machine.isaVersion);
    json.attribute("clock", machine.clockHz);
    json.attributeObject("processor",
                         [&] { writeProcessor(json, machine.processor); });
    json.attribute("queued-operands",
                   machine.latchesOperands ? "latched" : "late");
    json.attributeArray("engines", [&] {
      for (const Engine &engine : machine.engines)
        writeEngine(json, engine);
    });
    json.attributeArray("queues", [&] {
      for (const Queue &queue : machine.queues)
        json.value(queue.name);
    });
    json.attributeArray("requantize",
                        [&] { writeUnits(json, machine.requantize); });
    json.attributeObject("sync", [&] { writeSync(json, machine.sync); });
    json.attributeObject("memory", [&] { writeMemory(json, machine); });
  });
  out << "\n";
}
