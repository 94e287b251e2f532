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
//   PROG-7  states have different names, values that fit their slots, and the
//           buffers and run-time scalars that their policies need; every buffer
//           of a state belongs to one; what a call does to the list of slots is
//           a permutation
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_PROGRAM_PROGRAM_H
#define TALLY_EMIT_PROGRAM_PROGRAM_H

#include "tally/emit/isa/Config.h"
#include "tally/emit/isa/Instruction.h"
#include "tally/machine/Machine.h"
#include "tally/support/Result.h"

#include <span>

namespace tally::isa {

enum class BufferUse : uint8_t {
  Input,
  Output,
  OldState, ///< a state's value before the call, which stays
  NewState, ///< its value after the call
  State,    ///< both: the call writes the new value over the old one
};

/// One of the caller's buffers, region kFirstCallerRegion + its place. Inputs
/// and outputs have names of their own; the buffers of a state have its name.
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
  bool isBool = false; ///< of type u8: 0 and 1 are no numbers
  friend bool operator==(const Buffer &, const Buffer &) = default;
};

/// How a state's new value gets to where the next call reads the old one.
enum class StatePolicy : uint8_t {
  Flip,     ///< written into a second slot; the two change places
  InPlace,  ///< written over the old value
  Keep,     ///< never changes
  Exchange, ///< becomes another state's old value, whose slot it takes
  Ring,     ///< the value moves along its slot; only what enters is written
  Append,   ///< some of it is written over the old value, where a counter says
  Counter,  ///< the caller counts it up after each call
};
/// By policy: "flip", "in place", ...
std::span<const std::string_view> policyNames();

/// How a value moves along its slot: as frames, each `pitch` bytes behind the
/// last. Its buffer, BufferUse::State, is what one call sees: `frames` of the
/// old value, and behind them `enters` that the call writes; all but the first
/// `enters` are the new value. Where the next call finds the buffer is so many
/// frames further on.
///
/// With `down` the other way round: the buffer begins with what enters, the old
/// value lies behind that, without a gap behind its last frame, and the next
/// call finds the buffer so many frames before.
///
/// A frame holds `runs` equal runs: run r of frame t is run r * frames + t of
/// the dense value. So dimensions before the moving one come behind it.
struct Ring {
  int64_t frames = 1, pitch = 0, enters = 1, runs = 1;
  bool down = false;
  friend bool operator==(const Ring &, const Ring &) = default;
};

/// Rows of a state that a call writes over its old value: of each of `runs`
/// equal runs of the value, `pitch` bytes from one to the next, the `bytes`
/// bytes from `step` times the counter on. All others stay.
struct Append {
  int64_t scalar = -1; ///< place in Program::scalars
  int64_t runs = 1, pitch = 0;
  int64_t step = 0, bytes = 0;
  friend bool operator==(const Append &, const Append &) = default;
};

/// A state of one i64, which no buffer holds: a call begins with 0 to `most`,
/// and the next one with min(it + step, last). Where commands depend on it, it
/// is a run-time scalar.
struct Counter {
  int64_t scalar = -1; ///< place in Program::scalars, or -1
  int64_t most = 0, step = 0, last = 0;
  friend bool operator==(const Counter &, const Counter &) = default;
};

/// A tensor that the caller keeps from call to call, in slots of its own.
/// `current` and `next` are places in the caller's list of slots, which at
/// first is Program::slots: there is the old value, and there goes the new one.
struct State {
  std::string name;
  StatePolicy policy = StatePolicy::Flip;
  machine::ElementType type = machine::ElementType::I8;
  std::vector<int64_t> shape; ///< dense, row-major
  /// Of codes: real = (code - zero) * scale; 0 where they are plain numbers.
  double scale = 0;
  int64_t zero = 0;
  int64_t current = 0, next = 0;
  /// Places in Program::buffers of the old and the new value, the same for
  /// BufferUse::State; -1: no call reads, or writes, it.
  int64_t oldBuffer = -1, newBuffer = -1;
  Ring ring;           ///< of StatePolicy::Ring
  Append append;       ///< of StatePolicy::Append
  Counter counter;     ///< of StatePolicy::Counter
  bool isBool = false; ///< of type u8: 0 and 1 are no numbers
  /// Before the first call, all bytes; nothing: the caller gives it.
  std::optional<std::vector<uint8_t>> initial;
  /// By each call into the slot, and those of them that were in global memory
  /// before: in the arena, an input or a constant.
  int64_t writtenBytes = 0, copiedBytes = 0;
  std::string reason; ///< of the copies, or of the policy; may be empty

  /// Of its value; nothing where the number is beyond 64 bits.
  std::optional<int64_t> bytes() const;
  /// Of its buffer; nothing where the numbers are beyond 64 bits, or `ring`
  /// does not hold the value.
  std::optional<int64_t> bufferBytes() const;
  /// `initial`, which is there, in base 64: one element where all are alike.
  std::string initialText() const;
  /// Inverse; false for what is neither one element nor all of the state.
  bool setInitial(std::string_view text);
  friend bool operator==(const State &, const State &) = default;
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
  std::vector<State> states;
  std::vector<int64_t> slots; ///< bytes of the slots that states live in
  /// After a call, place i of the list has the slot that place commit[i] had.
  std::vector<int64_t> commit;
  uint64_t stateHash = 0; ///< of the model and its states; 0 without states
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

/// PROG-3, PROG-4 and PROG-7.
Status checkProgram(const Program &program);
/// PROG-7 alone; the buffers keep PROG-4.
Status checkStates(const Program &program);

/// Whether a call reads, or writes, such a buffer.
inline bool isRead(BufferUse use) {
  return use != BufferUse::Output && use != BufferUse::NewState;
}
inline bool isWritten(BufferUse use) {
  return use != BufferUse::Input && use != BufferUse::OldState;
}
inline bool isOfState(BufferUse use) {
  return use != BufferUse::Input && use != BufferUse::Output;
}
/// What messages call a buffer: by its name, which a state's old and new value
/// share.
std::string titleOf(const Buffer &buffer);

/// What `text`, written for `machine`, needs of one: the queues, scalar and
/// synchronization registers it names, in the kinds that `machine` has.
/// sramBytes and accumulatorBytes are the machine's.
Requirements requirementsOf(const std::vector<uint32_t> &text,
                            const machine::Machine &machine);

/// PROG-5 (Unsupported): the first requirement that the machine does not meet.
Status checkMachine(const Program &program, const machine::Machine &machine);

} // namespace tally::isa

#endif // TALLY_EMIT_PROGRAM_PROGRAM_H
