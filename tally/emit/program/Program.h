//===- Program.h - a program for a machine ----------------------*- C++ -*-===//
//
// The text of the command processor with all that binding, running and judging
// it takes. ProgramFile.h keeps it in an ELF file.
//
// Rules of a program (FailureKind::Model):
//   PROG-3  the text has at least one word, and every word is an instruction
//   PROG-4  what the metadata states fits together: names of buffers are there
//           and different, at most 61 buffers, alignments are powers of two;
//           run-time scalars are words of the context, with a range; symbols,
//           nodes and source lines lie in what they name, the last two in
//           ascending order
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_PROGRAM_PROGRAM_H
#define TALLY_EMIT_PROGRAM_PROGRAM_H

#include "tally/emit/isa/Config.h"
#include "tally/emit/isa/Instruction.h"
#include "tally/machine/Machine.h"
#include "tally/support/Result.h"

namespace tally::isa {

enum class BufferUse : uint8_t { Input, Output };

/// One of the caller's buffers, region kFirstCallerRegion + its place.
struct Buffer {
  std::string name; ///< the model's own
  BufferUse use = BufferUse::Input;
  int64_t bytes = 0;
  int64_t alignment = 1; ///< of its address
  machine::ElementType type = machine::ElementType::I8;
  std::vector<int64_t> shape; ///< row-major; may be empty where unknown
  /// Of codes: real = (code - zero) * scale; 0 where they are plain numbers.
  double scale = 0;
  int64_t zero = 0;
  friend bool operator==(const Buffer &, const Buffer &) = default;
};

/// A word of the context that the caller sets before a call, in a range.
struct RuntimeScalar {
  std::string name;
  int64_t offset = 0;              ///< bytes into the context
  int64_t least = 0, greatest = 0; ///< inclusive, as signed 32-bit numbers
  friend bool operator==(const RuntimeScalar &,
                         const RuntimeScalar &) = default;
};

/// The space of a symbol that is a place in the text.
inline constexpr int64_t kTextSpace = -1;

/// A name for bytes of a region or memory, or for a place in the text.
struct Symbol {
  std::string name;
  int64_t space = kTextSpace; ///< kTextSpace, or as in Config.h
  int64_t offset = 0;         ///< bytes
  int64_t bytes = 0;
  friend bool operator==(const Symbol &, const Symbol &) = default;
};

/// The instructions [first, first + count) belong to a node of the model.
struct NodeRange {
  int64_t first = 0, count = 0;
  std::string name;
  friend bool operator==(const NodeRange &, const NodeRange &) = default;
};

/// Instructions from `first` on, up to the next entry's, come from `line` of
/// the source file.
struct SourceLine {
  int64_t first = 0, line = 0;
  friend bool operator==(const SourceLine &, const SourceLine &) = default;
};

/// A queue that the program uses.
struct QueueNeed {
  int64_t number = 0;
  std::string name;
  machine::EngineKind kind = machine::EngineKind::Dma;
  machine::Direction direction = machine::Direction::Both; ///< of a DMA engine
  bool inOrder = true;
  bool depthwise = false; ///< of a matrix engine
  std::vector<machine::ElementType> types;
  friend bool operator==(const QueueNeed &, const QueueNeed &) = default;
};

/// What a machine must have to run the program. Rates and times are no part of
/// it.
struct Requirements {
  std::string machine; ///< the one it was made for; any that fits will do
  int64_t isa = kVersion;
  int64_t scalarRegisters = 1; ///< highest number used, plus 1
  bool multiply = false;
  bool latchedOperands = false;  ///< it relies on operands read at issue
  std::vector<QueueNeed> queues; ///< by number
  machine::SyncKind syncKind = machine::SyncKind::Counter;
  machine::SyncKey syncKey = machine::SyncKey::Global;
  machine::SyncCompare syncCompare = machine::SyncCompare::Absolute;
  int64_t syncRegisters = 0; ///< 0: it uses none, and no more about them counts
  int64_t syncBits = 1;
  bool multipleWaiters = false, relativeWaits = false, scalarThresholds = false;
  /// Widths of requantize units, by result width.
  std::vector<machine::RequantizeUnit> requantize;
  int64_t sramBytes = 0, accumulatorBytes = 0;
  friend bool operator==(const Requirements &, const Requirements &) = default;
};

struct Program {
  std::string producer; ///< "tally 0.1.0"
  Requirements requirements;
  std::vector<uint32_t> text;
  std::vector<uint8_t> constants; ///< region 0, parameter blocks among them
  std::vector<uint8_t> context;   ///< region 2 at the start of a stream
  int64_t arenaBytes = 0;         ///< region 1
  int64_t arenaAlignment = 1;     ///< of all regions but the caller's
  std::vector<Buffer> buffers;
  std::vector<RuntimeScalar> scalars;
  std::vector<Symbol> symbols;
  std::vector<NodeRange> nodes;
  std::string sourceFile;        ///< of assembly; empty where there is none
  std::vector<SourceLine> lines; ///< ascending `first`
  friend bool operator==(const Program &, const Program &) = default;

  /// The node that instruction `index` belongs to; empty: none.
  std::string_view nodeOf(int64_t index) const;
  /// The line of sourceFile that instruction `index` comes from; 0: unknown.
  int64_t lineOf(int64_t index) const;
  /// Bytes of a region; nothing for one that the program has not.
  std::optional<int64_t> regionBytes(int64_t region) const;
};

/// PROG-3 and PROG-4.
Status checkProgram(const Program &program);

/// What `text`, written for `machine`, needs of one: the queues, scalar and
/// synchronization registers it names, in the kinds that `machine` has.
/// sramBytes and accumulatorBytes are the machine's.
Requirements requirementsOf(const std::vector<uint32_t> &text,
                            const machine::Machine &machine);

/// PROG-5 (Unsupported): the first requirement that the machine does not meet.
Status checkMachine(const Program &program, const machine::Machine &machine);

} // namespace tally::isa

#endif // TALLY_EMIT_PROGRAM_PROGRAM_H
