//===- Effects.h - the bytes a command reads and writes ---------*- C++ -*-===//
//
// effects(command, machine) is a function of the decoded command alone: its
// latched fields, the values of its scalar operands and the machine. It is
// exact, byte for byte; the simulator's audit compares it with what commands
// touch, and the checker proves with it.
//
// Example: a DMA of 2 rows of 3 bytes, pitch 8, from offset 16 reads one box
// {offset 16, counts 1 x 1 x 2 x 1, strides 0, 0, 8, 0, bytes 3}: [16, 19) and
// [24, 27).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ISA_EFFECTS_H
#define TALLY_EMIT_ISA_EFFECTS_H

#include "tally/emit/isa/Command.h"
#include "tally/emit/isa/Instruction.h"

namespace tally::isa {

/// Runs of `bytes` contiguous bytes at
///   offset + i0 strides[0] + i1 strides[1] + i2 strides[2] + i3 strides[3],
/// 0 <= id < counts[d]. Counts and bytes are at least 1; runs may touch or
/// overlap each other. Offsets are from the start of a memory or region and may
/// lie outside of it: who uses a box checks that.
struct Box {
  int64_t offset = 0;
  std::array<int64_t, 4> counts{1, 1, 1, 1};
  std::array<int64_t, 4> strides{};
  int64_t bytes = 1;

  int64_t begin() const; ///< first byte
  int64_t end() const;   ///< past the last byte
  friend bool operator==(const Box &, const Box &) = default;
};

/// [begin, end).
struct ByteRange {
  int64_t begin = 0, end = 0;
  friend bool operator==(const ByteRange &, const ByteRange &) = default;
};

enum class AccessKind : uint8_t { Read, Write };

/// When an access happens.
enum class AccessTime : uint8_t {
  Issue,     ///< by the processor: lw, sw
  Execution, ///< at any time from the command's start to its completion
};

/// The bytes that one operand touches.
struct Access {
  AccessKind kind = AccessKind::Read;
  AccessTime time = AccessTime::Execution;
  std::string_view operand; ///< prefix of its fields: "src", "weights", ...
  int64_t space = 0;        ///< Config.h
  std::vector<Box> boxes;   ///< none: the operand has no bytes here
  /// Of a write: the bytes are work space, undefined afterwards.
  bool isScratch = false;
};

/// All accesses of a command that checkCommand lets pass, reads first.
std::vector<Access> effects(const Command &command,
                            const machine::Machine &machine);

/// The access of lw or sw with the value of its rs1; nothing for others.
std::optional<Access> effects(const Instruction &instruction, uint32_t rs1);

/// The bytes of boxes, ascending, disjoint and not touching.
std::vector<ByteRange> rangesOf(std::span<const Box> boxes);

/// Whether the accesses have a byte in common.
bool overlap(const Access &a, const Access &b);

/// What an instruction for a synchronization register does, for who rebuilds
/// order from a stream.
enum class SyncEffect : uint8_t {
  None,
  Signal, ///< signal
  Reach,  ///< wait.ge, wait.ge.r: passes from a threshold on
  Behind, ///< wait.rel: threshold from what was issued
  Take,
  Test,
  Clear,
  Reset, ///< by the processor
};
SyncEffect syncEffectOf(Opcode opcode);

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_EFFECTS_H
