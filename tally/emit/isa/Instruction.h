//===- Instruction.h - instructions and their table -------------*- C++ -*-===//
//
// The instruction set of the command processor: rows of Instructions.def. An
// Instruction is one of them with its operands; encode/ turns it to bits, asm/
// to text.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ISA_INSTRUCTION_H
#define TALLY_EMIT_ISA_INSTRUCTION_H

#include "tally/machine/Machine.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tally::isa {

/// Version of this table and of the fields and commands beside it. A program
/// states it, a machine too (Machine::isaVersion).
inline constexpr int64_t kVersion = machine::kIsaVersion;
inline constexpr int64_t kInstructionBytes = 4;

enum class Opcode : uint8_t {
#define TALLY_INSTRUCTION(id, ...) id,
#include "tally/emit/isa/Instructions.def"
};
inline constexpr Opcode allOpcodes[] = {
#define TALLY_INSTRUCTION(id, ...) Opcode::id,
#include "tally/emit/isa/Instructions.def"
};
inline constexpr size_t kOpcodes = std::size(allOpcodes);

/// What an operand is. Signed and unsigned ranges, and places in the word,
/// follow from it and the format.
enum class OperandKind : uint8_t {
  Rd,        ///< scalar register that is written
  Rs1,       ///< scalar register that is read
  Rs2,       ///< likewise
  Immediate, ///< a number
  Offset,    ///< bytes from this instruction to the target
  Queue,     ///< place in Machine::queues
  Field,     ///< staged field of the queue's kind of engine (Config.h)
  Command,   ///< CommandCode (Command.h)
  Sync,      ///< register of the synchronization file
};

/// Bits [valueBit, valueBit + width) of the operand are bits [wordBit, ...) of
/// the word.
struct BitSlice {
  uint8_t valueBit, wordBit, width;
};

/// One operand of a format. Values are those v with
/// minimum() <= v <= maximum() and v a multiple of 2^zeroBits.
struct OperandInfo {
  OperandKind kind;
  std::string_view name; ///< "rd", "imm", "queue", ...
  bool isSigned = false;
  uint8_t bits = 0;     ///< of the value, sign and zero bits included
  uint8_t zeroBits = 0; ///< low bits that are 0 and not encoded
  std::array<BitSlice, 4> slices{};
  uint8_t sliceCount = 0;

  int64_t minimum() const;
  int64_t maximum() const;
};

enum class Format : uint8_t {
  Upper,              ///< rd, imm
  Immediate,          ///< rd, rs1, imm
  Shift,              ///< rd, rs1, shamt
  Register,           ///< rd, rs1, rs2
  Load,               ///< rd, imm(rs1): operands rd, rs1, imm
  Store,              ///< rs2, imm(rs1): operands rs2, rs1, imm
  Branch,             ///< rs1, rs2, offset
  Jump,               ///< rd, offset
  Bare,               ///< none
  ConfigImmediate,    ///< queue, field, imm
  ConfigRegister,     ///< queue, field, rs1
  Go,                 ///< queue, command, rs1, rs2
  QueuePending,       ///< queue, imm
  QueueSync,          ///< queue, sync
  QueueSyncImmediate, ///< queue, sync, imm
  QueueSyncRegister,  ///< queue, sync, rs1
  SyncOnly,           ///< sync
};
std::span<const OperandInfo> operandsOf(Format format);
inline constexpr size_t kMaxOperands = 4;

/// Who executes an instruction.
enum class Unit : uint8_t {
  Processor, ///< the processor; done before the next instruction
  Stage,     ///< writes a staged field; done before the next instruction
  Queued,    ///< appended to a queue; done when its turn comes and it completes
  Fence,     ///< the processor waits for queues
};

/// When a scalar operand is read.
enum class ReadTime : uint8_t {
  Latched, ///< at issue
  Late,    ///< at any time from issue until the entry of the queue completes
};

struct InstructionInfo {
  Opcode opcode;
  std::string_view mnemonic;
  Format format;
  uint32_t bits; ///< the word with operands 0
  Unit unit;
  bool rs1Late, rs2Late;
  uint32_t clobbers; ///< bit r: x[r]
  std::string_view cycles, meaning;

  std::span<const OperandInfo> operands() const { return operandsOf(format); }
  /// Place of the first operand of a kind in operands(), if it has one.
  std::optional<size_t> find(OperandKind kind) const;
  uint32_t mask() const; ///< bits of the word that are no operand's
};

/// All rows, by Opcode.
std::span<const InstructionInfo> allInstructions();
const InstructionInfo &infoOf(Opcode opcode);
std::optional<Opcode> findMnemonic(std::string_view mnemonic);

/// An instruction with operands in the order of its format. Unused places are
/// 0, so that equal instructions compare equal.
struct Instruction {
  Opcode opcode = Opcode::Addi;
  std::array<int64_t, kMaxOperands> operands{};

  const InstructionInfo &info() const { return infoOf(opcode); }
  /// The operand of a kind that the format has.
  int64_t operand(OperandKind kind) const {
    return operands[*info().find(kind)];
  }
  friend bool operator==(const Instruction &, const Instruction &) = default;
};

/// A scalar register that an instruction reads. x0 is never listed.
struct RegisterRead {
  uint32_t reg = 0;
  ReadTime time = ReadTime::Latched;
  friend bool operator==(const RegisterRead &, const RegisterRead &) = default;
};

struct RegisterEffects {
  std::vector<RegisterRead> reads; ///< rs1, then rs2
  std::optional<uint32_t> write;   ///< rd, unless x0
  uint32_t clobbers = 0;           ///< bit r: x[r]
};

/// Of the table alone. `latchesOperands` is the machine's: it turns late reads
/// into latched ones.
RegisterEffects registerEffects(const Instruction &instruction,
                                bool latchesOperands = false);

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_INSTRUCTION_H
