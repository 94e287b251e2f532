//===- Command.h - commands of engines and their table ----------*- C++ -*-===//
//
// What `go` starts: rows of Commands.def with the fields that it latched. The
// bytes a command reads and writes are in Effects.h, its time in cyclesOf.
//
// Rules of a command with its fields (FailureKind::Model), which hold before it
// may run; messages name the queue's command and the field:
//   CMD-ENGINE  the command belongs to the queue's kind of engine
//   CMD-SPACE   an operand lies in a space that exists and that the engine
//               reaches there: DMA any but accumulators, matrix and vector
//               operands in SRAM, vector operands of 4-byte elements in
//               accumulators too, parameters in SRAM or a region
//   CMD-WAY     a DMA engine for one way is not used for the other
//   CMD-TYPE    an element type is one the command and the engine take
//   CMD-FIELD   a field has a value that the command can use
//   CMD-ALIGN   offsets and strides are multiples of the element's size
//   CMD-BOUNDS  operands in SRAM and accumulators lie within them; none begins
//               before its region
//   CMD-UNIT    the machine has what it takes, such as a depthwise mode
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ISA_COMMAND_H
#define TALLY_EMIT_ISA_COMMAND_H

#include "tally/emit/isa/Config.h"
#include "tally/emit/isa/Instruction.h"
#include "tally/machine/Machine.h"
#include "tally/support/Result.h"

namespace tally::isa {

/// The code that `go` holds.
enum class CommandCode : uint8_t {
#define TALLY_COMMAND(kind, id, code, ...) id = code,
#include "tally/emit/isa/Commands.def"
};

struct CommandInfo {
  CommandCode code;
  machine::EngineKind kind;
  std::string_view name; ///< unique within its kind
  std::string_view cycles, reads, writes, meaning;
};

/// All rows, in the order of the table.
std::span<const CommandInfo> allCommands();
const CommandInfo *findCommand(int64_t code); ///< null: there is none
const CommandInfo *findCommand(machine::EngineKind kind, std::string_view name);
inline const CommandInfo &infoOf(CommandCode code) {
  return *findCommand(int64_t(code));
}

/// Functions of vector commands, by their places in allFunctions().
enum class Function : uint8_t {
#define TALLY_FUNCTION(command, id, ...) id,
#include "tally/emit/isa/Functions.def"
};

struct FunctionInfo {
  Function function;
  CommandCode command;
  int64_t number; ///< what the field `function` holds
  std::string_view name;
  int arity; ///< 1: a; 2: a and b
  int slow;  ///< slow steps, in units of VectorUnit::slowFactor
  std::string_view meaning;
};

std::span<const FunctionInfo> allFunctions();
inline const FunctionInfo &infoOf(Function function) {
  return allFunctions()[size_t(function)];
}
/// Null where the command has no function of that number, or none at all.
const FunctionInfo *findFunction(CommandCode command, int64_t number);
const FunctionInfo *findFunction(CommandCode command, std::string_view name);

/// A command as it stands in its queue.
struct Command {
  CommandCode code = CommandCode::DmaCopy;
  uint32_t queue = 0;
  Configuration config{machine::EngineKind::Dma}; ///< latched by go
  /// The values of go's scalar operands, added to the offset of the first
  /// operand (src, in, a) and to that of the result (dst; out or acc).
  int32_t firstAddend = 0, resultAddend = 0;

  const CommandInfo &info() const { return infoOf(code); }
  int64_t get(DmaField field) const { return config.get(field); }
  int64_t get(MatrixField field) const { return config.get(field); }
  int64_t get(VectorField field) const { return config.get(field); }
};

/// The rules above. `queue` must be one of the machine's.
Status checkCommand(const Command &command, const machine::Machine &machine);

/// Cycles that a command, which checkCommand lets pass, holds its engine, by
/// its row's formula; memory bandwidth and conflicts come on top.
int64_t cyclesOf(const Command &command, const machine::Machine &machine);

/// Cycles that an instruction takes the processor, by its row's formula.
int64_t cyclesOf(Opcode opcode, const machine::Machine &machine);

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_COMMAND_H
