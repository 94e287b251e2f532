//===- MachineFile.cpp - machine descriptions as YAML ---------------------===//
//
// LLVM's YAML I/O maps keys to members. What one value or one mapping must hold
// is checked while it is read, so that the failure has its line; such messages
// begin with their rule in brackets, which is taken off again at the end. The
// rules across mappings follow and name the key.
//
//===----------------------------------------------------------------------===//

#include "tally/machine/MachineFile.h"
#include "tally/machine/YamlValues.h"
#include "tally/support/ReadFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/YAMLTraits.h"

#include <algorithm>
#include <set>

using namespace tally;
using namespace tally::machine;
using llvm::StringRef;
using llvm::yaml::IO;

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

/// A required key whose value is read as a T into `member`.
template <typename T, typename Member>
static void require(IO &io, const char *key, Member &member) {
  T checked{};
  io.mapRequired(key, checked);
  member = Member(std::move(checked.value));
}

template <typename T>
static void requireList(IO &io, const char *key, std::vector<uint32_t> &list) {
  std::vector<T> checked;
  io.mapRequired(key, checked);
  list.clear();
  for (const T &number : checked)
    list.push_back(uint32_t(number.value));
}

static bool hasTwice(std::vector<uint32_t> numbers) {
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) != numbers.end();
}

namespace llvm::yaml {

template <> struct MappingTraits<Processor> {
  static void mapping(IO &io, Processor &processor) {
    std::string subset;
    io.mapRequired("subset", subset);
    StringRef rest = subset;
    processor.hasMultiply = rest.consume_back("_zmmul");
    processor.isEmbedded = rest == "rv32e";
    if (rest != "rv32e" && rest != "rv32i")
      io.setError("[MACH-1] subset '" + subset +
                  "' is not rv32i, rv32e, rv32i_zmmul or rv32e_zmmul");
    requireList<Natural>(io, "scratch", processor.scratch);
    require<Positive>(io, "cycles-per-instruction",
                      processor.cyclesPerInstruction);
  }
  static std::string validate(IO &, Processor &processor) {
    if (processor.scratch.empty() || hasTwice(processor.scratch))
      return "[MACH-5] scratch lists registers, each once";
    std::ranges::sort(processor.scratch);
    for (uint32_t reg : processor.scratch)
      if (reg == 0 || reg >= processor.registers())
        return "[MACH-5] scratch register x" + std::to_string(reg) + ": " +
               processor.subset() + " has x1 to x" +
               std::to_string(processor.registers() - 1) + " for it";
    return {};
  }
};

template <> struct MappingTraits<DmaUnit> {
  static void mapping(IO &io, DmaUnit &unit) {
    io.mapRequired("direction", unit.direction);
    require<Positive>(io, "bytes-per-cycle", unit.bytesPerCycle);
    require<Natural>(io, "latency", unit.latency);
  }
};

template <> struct MappingTraits<MatrixUnit> {
  static void mapping(IO &io, MatrixUnit &unit) {
    require<Ranged<1, 65536>>(io, "rows", unit.rows);
    require<Ranged<1, 65536>>(io, "columns", unit.columns);
    require<Positive>(io, "weight-bytes-per-cycle", unit.weightBytesPerCycle);
    require<Natural>(io, "depthwise-channels", unit.depthwiseChannels);
    require<Natural>(io, "depthwise-taps", unit.depthwiseTaps);
    require<Positive>(io, "output-lanes", unit.outputLanes);
    require<Natural>(io, "startup", unit.startup);
  }
  static std::string validate(IO &, MatrixUnit &unit) {
    if ((unit.depthwiseChannels == 0) != (unit.depthwiseTaps == 0))
      return "[MACH-2] depthwise-channels and depthwise-taps are both 0 or "
             "neither";
    return {};
  }
};

template <> struct MappingTraits<VectorUnit> {
  static void mapping(IO &io, VectorUnit &unit) {
    require<Positive>(io, "lanes", unit.lanes);
    require<Positive>(io, "slow-factor", unit.slowFactor);
    require<Natural>(io, "startup", unit.startup);
  }
};

template <> struct MappingTraits<Engine> {
  static void mapping(IO &io, Engine &engine) {
    require<Name>(io, "name", engine.name);
    io.mapRequired("kind", engine.kind);
    require<Ranged<1, kMaxQueues>>(io, "count", engine.count);
    require<Ranged<1, 65536>>(io, "depth", engine.depth);
    Completion completion = Completion::InOrder;
    io.mapRequired("completion", completion);
    engine.inOrder = completion == Completion::InOrder;
    switch (engine.kind) {
    case EngineKind::Dma:
      io.mapRequired("dma", engine.dma);
      break;
    case EngineKind::Matrix:
      io.mapRequired("types", engine.types);
      io.mapRequired("matrix", engine.matrix);
      break;
    case EngineKind::Vector:
      io.mapRequired("types", engine.types);
      io.mapRequired("vector", engine.vector);
      break;
    }
  }
  static std::string validate(IO &, Engine &engine) {
    std::vector<uint32_t> types;
    types.reserve(engine.types.size());
    for (ElementType type : engine.types)
      types.push_back(uint32_t(type));
    if (hasTwice(types))
      return "[MACH-9] an element type is listed twice";
    if (engine.kind == EngineKind::Matrix && !engine.takes(ElementType::I8) &&
        !engine.takes(ElementType::U8))
      return "[MACH-9] a matrix engine takes i8 or u8";
    return {};
  }
};

template <> struct MappingTraits<RequantizeUnit> {
  static void mapping(IO &io, RequantizeUnit &unit) {
    require<Positive>(io, "result-bits", unit.resultBits);
    require<Ranged<9, 63>>(io, "multiplier-bits", unit.multiplierBits);
    require<Ranged<32, 64>>(io, "offset-bits", unit.offsetBits);
    Ties ties = Ties::Even;
    io.mapRequired("ties", ties);
  }
  static std::string validate(IO &, RequantizeUnit &unit) {
    if (unit.resultBits != 8 && unit.resultBits != 16)
      return "[MACH-6] requantize units make results of 8 or 16 bits";
    return {};
  }
};

template <> struct MappingTraits<SyncFile> {
  static void mapping(IO &io, SyncFile &file) {
    io.mapRequired("kind", file.kind);
    io.mapRequired("key", file.key);
    require<Ranged<1, kMaxSyncRegisters>>(io, "count", file.count);
    require<Ranged<1, 32>>(io, "bits", file.bits);
    io.mapRequired("compare", file.compare);
    io.mapRequired("multiple-waiters", file.multipleWaiters);
    io.mapRequired("relative-waits", file.relativeWaits);
    io.mapRequired("scalar-thresholds", file.scalarThresholds);
    requireList<Natural>(io, "reserved", file.reserved);
    require<Ranged<0, 65536>>(io, "waits-per-command", file.waitsPerCommand);
  }
  static std::string validate(IO &, SyncFile &file) {
    if (hasTwice(file.reserved))
      return "[MACH-7] a reserved register is listed twice";
    std::ranges::sort(file.reserved);
    if (!file.reserved.empty() && file.reserved.back() >= file.count)
      return "[MACH-7] reserved register " +
             std::to_string(file.reserved.back()) + ": count makes them 0 to " +
             std::to_string(file.count - 1);
    if (file.kind != SyncKind::Counter &&
        (file.relativeWaits || file.scalarThresholds ||
         file.compare != SyncCompare::Absolute))
      return "[MACH-7] only counters have relative waits, scalar thresholds "
             "or a modular comparison";
    if (file.kind == SyncKind::Flag && file.bits != 1)
      return "[MACH-7] a flag has 1 bit";
    return {};
  }
};

template <> struct MappingTraits<Window> {
  static void mapping(IO &io, Window &window) {
    require<Ranged<0, INT64_MAX>>(io, "begin", window.begin);
    require<Ranged<0, INT64_MAX>>(io, "end", window.end);
  }
  static std::string validate(IO &, Window &window) {
    return window.begin < window.end ? "" : "[MACH-8] the window is empty";
  }
};

template <> struct MappingTraits<GlobalMemory> {
  static void mapping(IO &io, GlobalMemory &memory) {
    require<Ranged<16, 48>>(io, "address-bits", memory.addressBits);
    require<PowerOfTwo>(io, "granule", memory.granule);
    require<PowerOfTwo>(io, "alignment", memory.alignment);
    require<Positive>(io, "bytes-per-cycle", memory.bytesPerCycle);
    io.mapRequired("windows", memory.windows);
  }
  static std::string validate(IO &, GlobalMemory &memory) {
    uint64_t end = uint64_t(1) << memory.addressBits, past = 0;
    for (const Window &window : memory.windows) {
      if (window.begin < past || window.end > end)
        return "[MACH-8] window " + std::to_string(window.begin) + " to " +
               std::to_string(window.end) +
               " is not behind the one before it, or beyond " +
               std::to_string(memory.addressBits) + " address bits";
      past = window.end;
    }
    return {};
  }
};

template <> struct MappingTraits<Sram> {
  static void mapping(IO &io, Sram &sram) {
    require<Positive>(io, "bytes", sram.bytes);
    require<PowerOfTwo>(io, "banks", sram.banks);
    require<PowerOfTwo>(io, "alignment", sram.alignment);
    require<Positive>(io, "read-ports", sram.readPorts);
    require<Positive>(io, "read-bytes-per-cycle", sram.readBytesPerCycle);
    require<Positive>(io, "write-ports", sram.writePorts);
    require<Positive>(io, "write-bytes-per-cycle", sram.writeBytesPerCycle);
  }
  static std::string validate(IO &, Sram &sram) {
    if (sram.bytes % sram.banks != 0 || sram.bytes % sram.alignment != 0)
      return "[MACH-10] " + std::to_string(sram.bytes) +
             " bytes of SRAM are no multiple of its banks or alignment";
    return {};
  }
};

template <> struct MappingTraits<Accumulators> {
  static void mapping(IO &io, Accumulators &memory) {
    require<Positive>(io, "bytes", memory.bytes);
    require<PowerOfTwo>(io, "alignment", memory.alignment);
  }
  static std::string validate(IO &, Accumulators &memory) {
    if (memory.alignment < 4 || memory.bytes % memory.alignment != 0)
      return "[MACH-10] accumulators of " + std::to_string(memory.bytes) +
             " bytes with alignment " + std::to_string(memory.alignment) +
             ": a multiple of the alignment, which is 4 or more, is needed";
    return {};
  }
};

} // namespace llvm::yaml

namespace {
/// The key `memory`.
struct Memories {
  Machine &machine;
};
} // namespace

/// Queues in the order of engines: "vector", or "load0" and "load1".
static void numberQueues(Machine &machine) {
  for (size_t e = 0; e < machine.engines.size(); ++e) {
    const Engine &engine = machine.engines[e];
    for (int64_t i = 0; i < engine.count; ++i)
      machine.queues.push_back(
          {engine.count == 1 ? engine.name : engine.name + std::to_string(i),
           uint32_t(e)});
  }
}

static std::string checkQueues(const Machine &machine) {
  std::set<std::string> names;
  for (const Queue &queue : machine.queues)
    if (!names.insert(queue.name).second)
      return "[MACH-3] two queues are called '" + queue.name + "'";
  if (machine.queues.empty() || int64_t(machine.queues.size()) > kMaxQueues)
    return "[MACH-4] engines make " + std::to_string(machine.queues.size()) +
           " queues; 1 to " + std::to_string(kMaxQueues) + " are possible";
  if (machine.syncRegisters() > kMaxSyncRegisters)
    return "[MACH-7] the synchronization file has " +
           std::to_string(machine.syncRegisters()) +
           " registers in all; instructions can name " +
           std::to_string(kMaxSyncRegisters);
  return {};
}

static std::string checkRequantize(Machine &machine) {
  std::vector<uint32_t> bits;
  bits.reserve(machine.requantize.size());
  for (const RequantizeUnit &unit : machine.requantize)
    bits.push_back(uint32_t(unit.resultBits));
  std::ranges::sort(machine.requantize, {}, &RequantizeUnit::resultBits);
  return hasTwice(bits) ? "[MACH-6] two requantize units make results of the "
                          "same width"
                        : "";
}

namespace llvm::yaml {

template <> struct MappingTraits<Memories> {
  static void mapping(IO &io, Memories &memories) {
    io.mapRequired("global", memories.machine.global);
    io.mapRequired("sram", memories.machine.sram);
    io.mapRequired("accumulators", memories.machine.accumulators);
  }
};

template <> struct MappingTraits<Machine> {
  static void mapping(IO &io, Machine &machine) {
    require<Name>(io, "name", machine.name);
    require<Ranged<1, kIsaVersion>>(io, "isa", machine.isaVersion);
    require<Positive>(io, "clock", machine.clockHz);
    io.mapRequired("processor", machine.processor);
    Operands operands = Operands::Late;
    io.mapRequired("queued-operands", operands);
    machine.latchesOperands = operands == Operands::Latched;
    io.mapRequired("engines", machine.engines);
    io.mapRequired("requantize", machine.requantize);
    io.mapRequired("sync", machine.sync);
    Memories memories{machine};
    io.mapRequired("memory", memories);
  }
  static std::string validate(IO &, Machine &machine) {
    numberQueues(machine);
    std::string broken = checkQueues(machine);
    return broken.empty() ? checkRequantize(machine) : broken;
  }
};

} // namespace llvm::yaml

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The first message, with its line, as a failure.
static void keepFirst(const llvm::SMDiagnostic &message, void *context) {
  auto &failure = *static_cast<std::optional<Diagnostic> *>(context);
  if (failure)
    return;
  StringRef text = message.getMessage();
  StringRef rule = "MACH-1";
  if (text.consume_front("[")) {
    rule = text.take_until([](char c) { return c == ']'; });
    text = text.drop_front(std::min(text.size(), rule.size() + 2));
  }
  failure.emplace();
  failure->kind = FailureKind::Machine;
  failure->rule = rule.str();
  failure->message = "line " +
                     std::to_string(std::max(message.getLineNo(), 1)) + ": " +
                     text.str();
}

/// LLVM's Input takes a document without a mapping, such as an empty one, for
/// granted or not at all.
static bool beginsWithMapping(StringRef text,
                              std::optional<Diagnostic> &failure) {
  llvm::SourceMgr sources;
  sources.setDiagHandler(keepFirst, &failure);
  llvm::yaml::Stream stream(text, sources);
  auto document = stream.begin();
  return document != stream.end() &&
         llvm::isa_and_nonnull<llvm::yaml::MappingNode>(document->getRoot());
}

static void parse(StringRef text, Machine &machine,
                  std::optional<Diagnostic> &failure) {
  if (beginsWithMapping(text, failure)) {
    llvm::yaml::Input input(text, nullptr, keepFirst, &failure);
    input >> machine;
    if (failure || !input.error())
      return;
  }
  if (failure)
    return;
  failure.emplace();
  failure->kind = FailureKind::Machine;
  failure->rule = "MACH-1";
  failure->message = "line 1: there is no mapping with a machine's keys";
}

Result<Machine> tally::machine::parseMachine(std::string_view text,
                                             const std::string &file) {
  std::optional<Diagnostic> failure;
  Machine machine;
  parse(text, machine, failure);
  if (!failure)
    return machine;
  failure->file = file;
  failure->hint = "docs/formats/machine.md describes the format";
  return std::move(*failure);
}

Result<Machine> tally::machine::readMachine(const std::string &path) {
  Result<std::vector<uint8_t>> bytes = readFile(path);
  if (!bytes)
    return bytes.takeError();
  return parseMachine(
      {reinterpret_cast<const char *>(bytes->data()), bytes->size()}, path);
}
