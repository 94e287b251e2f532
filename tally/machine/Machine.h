//===- Machine.h - an accelerator, described --------------------*- C++ -*-===//
//
// The immutable description of one accelerator: a command processor of few
// scalar registers feeds asynchronous engines through queues; they share an
// on-chip memory (SRAM), accumulators and a global memory, and meet at the
// registers of a synchronization file.
//
// Compiler, simulator and checker read it and nothing else about the hardware.
// The memory budget is no property of a machine: the caller grants it.
//
// Sizes are bytes, times are clock cycles, rates are bytes or elements in one
// cycle. MachineFile.h reads it from YAML and states the rules that hold here.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_MACHINE_MACHINE_H
#define TALLY_MACHINE_MACHINE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tally::machine {

/// The newest version of the instruction set.
inline constexpr int64_t kIsaVersion = 1;

/// What an element of a memory operand is. Codes of up to 8 bits take a byte
/// each, booleans are the bytes 0 and 1. The value is the one that the
/// instruction set's type fields hold.
enum class ElementType : uint8_t {
  I8 = 0,
  U8 = 1,
  I16 = 2,
  U16 = 3,
  I32 = 4,
  I64 = 5,
  F16 = 6,
  F32 = 7,
};
inline constexpr ElementType allElementTypes[] = {
    ElementType::I8,  ElementType::U8,  ElementType::I16, ElementType::U16,
    ElementType::I32, ElementType::I64, ElementType::F16, ElementType::F32};
std::string_view elementTypeName(ElementType type); ///< "i8", "f32", ...
constexpr int64_t elementBytes(ElementType type) {
  constexpr int64_t bytes[] = {1, 1, 2, 2, 4, 8, 2, 4};
  return bytes[static_cast<size_t>(type)];
}

/// The processor that issues commands: RISC-V, XLEN 32.
struct Processor {
  bool isEmbedded = false;  ///< RV32E: x0 to x15; else RV32I: x0 to x31
  bool hasMultiply = false; ///< extension Zmmul: mul
  /// Registers that generated code may use, ascending, without x0.
  std::vector<uint32_t> scratch;
  int64_t cyclesPerInstruction = 1;

  std::string subset() const; ///< "rv32i", "rv32e", with "_zmmul"
  uint32_t registers() const { return isEmbedded ? 16 : 32; }
};

enum class EngineKind : uint8_t { Dma, Matrix, Vector };
std::string_view engineKindName(EngineKind kind); ///< "dma", ...

/// Which way a DMA engine moves. An engine for one way refuses commands that
/// read or write global memory the other way; SRAM to SRAM is always allowed.
enum class Direction : uint8_t { In /*to SRAM*/, Out /*to global*/, Both };

struct DmaUnit {
  Direction direction = Direction::Both;
  int64_t bytesPerCycle = 1; ///< of one engine alone
  int64_t latency = 0;       ///< cycles before the first byte
};

/// A weight-stationary array of multipliers with an output stage.
struct MatrixUnit {
  int64_t rows = 1;    ///< terms of a sum per cycle (window x channels)
  int64_t columns = 1; ///< results side by side
  int64_t weightBytesPerCycle = 1; ///< into the shadow of the array
  int64_t depthwiseChannels = 0;   ///< per cycle; 0: no depthwise mode
  int64_t depthwiseTaps = 0;       ///< of each channel per cycle
  int64_t outputLanes = 1;         ///< results per cycle of the output stage
  int64_t startup = 0;             ///< cycles of each command
};

struct VectorUnit {
  int64_t lanes = 1;      ///< elements per cycle
  int64_t slowFactor = 1; ///< cycles per step of exponentials and divisions
  int64_t startup = 0;    ///< cycles of each command
};

/// A kind of engine, `count` of them, each with a queue of its own.
struct Engine {
  std::string name;
  EngineKind kind = EngineKind::Dma;
  int64_t count = 1;
  int64_t depth = 1; ///< commands its queue holds, the running one included
  /// Commands complete in the order of issue. Otherwise they start in order and
  /// complete in any.
  bool inOrder = true;
  /// Element types of the operands it reads or writes as numbers. Bytes that
  /// are only moved have no type.
  std::vector<ElementType> types;
  DmaUnit dma;       ///< where kind is Dma
  MatrixUnit matrix; ///< where kind is Matrix
  VectorUnit vector; ///< where kind is Vector

  bool takes(ElementType type) const;
};

/// One queue. Its number, which instructions hold, is its place in
/// Machine::queues: engines in the file's order, each `count` times.
struct Queue {
  std::string name;    ///< the engine's, with a number where there are several
  uint32_t engine = 0; ///< place in Machine::engines
};

/// Multiplier of the requantize units that make results of some width. The
/// tie mode is round half to even (by a tie window) in all of them.
struct RequantizeUnit {
  int64_t resultBits = 8;      ///< 8, 16
  int64_t multiplierBits = 32; ///< two's complement, sign included
  int64_t offsetBits = 64;     ///< per channel, two's complement
  friend bool operator==(const RequantizeUnit &,
                         const RequantizeUnit &) = default;
};

enum class SyncKind : uint8_t {
  Counter, ///< a signal adds 1; a wait passes from a value on
  Token,   ///< a signal adds 1; a wait passes above 0 and takes 1
  Flag,    ///< a signal sets; a wait tests; a clear clears
};
/// What the number of a register is unique within.
enum class SyncKey : uint8_t { Global, Source, SourceDestination };
/// How a counter's wait compares.
enum class SyncCompare : uint8_t {
  Absolute, ///< value >= threshold; a signal at the largest value is a fault
  Modular,  ///< (value - threshold) mod 2^bits < 2^(bits-1)
};

struct SyncFile {
  SyncKind kind = SyncKind::Counter;
  SyncKey key = SyncKey::Global;
  int64_t count = 1; ///< for each source, or each source and destination
  int64_t bits = 16; ///< of a counter or token
  SyncCompare compare = SyncCompare::Absolute;
  /// Several queues may wait on one register. Without it, a register has one
  /// waiting queue between two resets.
  bool multipleWaiters = true;
  bool relativeWaits = false;     ///< wait.rel, of counters
  bool scalarThresholds = false;  ///< wait.ge.r, of counters
  std::vector<uint32_t> reserved; ///< numbers never to be used
  /// Waits right before a command that take no time of their own; each more
  /// takes one cycle.
  int64_t waitsPerCommand = 1;

  int64_t maxValue() const {
    return kind == SyncKind::Flag ? 1 : (int64_t(1) << bits) - 1;
  }
};

/// Where one buffer of global memory may lie whole.
struct Window {
  uint64_t begin = 0, end = 0; ///< half-open
};

struct GlobalMemory {
  int64_t addressBits = 32;
  int64_t granule = 1;   ///< bytes of one transfer; shorter ones cost as much
  int64_t alignment = 1; ///< of the base of a region
  int64_t bytesPerCycle = 1;   ///< all engines together
  std::vector<Window> windows; ///< ascending; empty: the whole address space
};

struct Sram {
  int64_t bytes = 0;
  int64_t banks = 1;
  int64_t alignment = 1;         ///< of the planner's buffers
  int64_t readPorts = 1;         ///< each of readBytesPerCycle
  int64_t readBytesPerCycle = 1; ///< of one port
  int64_t writePorts = 1;
  int64_t writeBytesPerCycle = 1; ///< of one port
};

struct Accumulators {
  int64_t bytes = 0; ///< of 4-byte integers
  int64_t alignment = 4;
};

struct Machine {
  std::string name;
  int64_t isaVersion = 1; ///< of the instruction set it decodes
  int64_t clockHz = 1;
  Processor processor;
  /// Scalar registers of queued commands are read when the command is issued,
  /// even where the instruction set says late.
  bool latchesOperands = false;
  std::vector<Engine> engines;
  std::vector<Queue> queues;
  std::vector<RequantizeUnit> requantize; ///< ascending resultBits
  SyncFile sync;
  GlobalMemory global;
  Sram sram;
  Accumulators accumulators;

  const Engine &engineOf(uint32_t queue) const {
    return engines[queues[queue].engine];
  }
  /// The place of the queue of this name, if there is one.
  std::optional<uint32_t> findQueue(std::string_view name) const;
  /// The unit for results of that many bits, or null.
  const RequantizeUnit *requantizeFor(int64_t resultBits) const;
  /// Registers of the synchronization file in all: the operands of signals and
  /// waits are below it. With n queues, number r of source s is s * count + r,
  /// that of source s and destination d is (s * n + d) * count + r.
  int64_t syncRegisters() const;
};

} // namespace tally::machine

#endif // TALLY_MACHINE_MACHINE_H
