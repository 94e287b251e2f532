//===- Reference.cpp - the instruction set as a page ----------------------===//

#include "tally/emit/isa/Reference.h"
#include "tally/emit/isa/Command.h"
#include "tally/emit/isa/ParameterBytes.h"

#include "llvm/Support/Format.h"

using namespace tally;
using namespace tally::isa;
using llvm::raw_ostream;
using machine::EngineKind;

static const char *const kOpening =
    R"(# The instruction set

Version %VERSION%. Written by `tally-isa-doc` from the tables in `tally/emit/isa`
(`Instructions.def`, `ConfigFields.def`, `Commands.def`, `Functions.def`); do not
edit it. From the same tables come the encoder, the decoder, the assembler, the
builder functions, `effects` (which bytes a command touches) and `cyclesOf`.

## How a program runs

A small RISC-V processor runs the text of a program. It computes addresses and
counts in scalar registers, writes the **staged fields** of engines (`cfg.i`,
`cfg.r`), and with `go` appends a **command** to an engine's queue. `go` latches
all staged fields; the processor then goes on and may stage the next command.
Engines take commands from the heads of their queues and run at the same time.
Issue waits while a queue is full; otherwise only `fence`, `fence.all` and
`ecall` block the processor.

**Order between queues** comes from `signal`, the waits, `take`, `test` and
`clear`: entries of queues that act on the registers of the synchronization
file, when their turn comes. All registers are 0 when a program starts and have
to be 0 when it ends. A queue may complete its commands out of order if the
machine says so; they start in order in any case.

**Spaces.** A memory operand lies in a space, which a staged field names:

| space | is |
| --- | --- |
| 0 | region: constants and parameter blocks |
| 1 | region: arena, undefined at start |
| 2 | region: context, the state of one stream; `lw` and `sw` address it |
| 3 to 63 | regions: the caller's buffers |
| 64 | SRAM |
| 65 | accumulators |

Regions are parts of global memory that are bound for each call (the base
table), so an address is a region and an offset. SRAM and accumulators are
addressed directly.

**Entries.** Everything in a queue is an entry: commands, signals, waits, takes,
tests and clears; the depth of a queue counts them all, the running ones
included. Entries start in order. In a queue that completes out of order, later
entries may start before an earlier command has completed and before an earlier
signal has happened; a clear acts when it starts. A program ends by `ecall`; to
run off the text is a fault.

**When things are read.** Scalar operands marked *late* are read at any time
until the entry completes, unless the machine latches them at issue; all others
at issue. Staged fields are latched by `go`. Memory operands and parameter
blocks are read, and results written, during execution; a program must not
depend on when. Its results are those of any moment at which each command does
all of it at once.

**What holds at the start.** Scalar registers other than x0, the arena, SRAM and
accumulators are undefined. Constants and the caller's inputs are read-only,
every byte of an output is written by the program, and the context holds what
the call before left there.

**Run-time scalars** (cursors, valid lengths) are words of the context that the
program declares with a range; it loads them with `lw`, which reads nothing else
but words that the program has written with `sw`.

**Faults** stop a program: a rule of `tally/emit/isa/Command.h` broken by a
command when it starts, a field out of range, a read of bytes never written, an
accumulator beyond 32 bits, a final value of an output stage that its type does
not have, parameters that are no block or do not fit the command, a counter
beyond its width, a program that can make no step.

)";

static std::string replaced(std::string text, const std::string &what,
                            const std::string &with) {
  size_t at = text.find(what);
  return text.replace(at, what.size(), with);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static const char *unitName(Unit unit) {
  switch (unit) {
  case Unit::Processor:
    return "processor";
  case Unit::Stage:
    return "staged field";
  case Unit::Queued:
    return "queue";
  case Unit::Fence:
    return "processor, waits";
  }
  return "";
}

static std::string operandText(const InstructionInfo &info) {
  std::string text;
  if (info.format == Format::Load || info.format == Format::Store)
    return info.format == Format::Load ? " rd, imm(rs1)" : " rs2, imm(rs1)";
  for (const OperandInfo &operand : info.operands())
    text += (text.empty() ? " " : ", ") + std::string(operand.name);
  return text;
}

static void writeInstructions(raw_ostream &out) {
  out << "## Instructions\n\n"
         "Words of 32 bits, little-endian. `match` is the word with operands "
         "0; bits outside `mask` are operands.\n\n"
         "| instruction | match | mask | where | late | clobbers | cycles | "
         "meaning |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const InstructionInfo &info : allInstructions()) {
    out << "| `" << info.mnemonic << operandText(info) << "` | "
        << llvm::format_hex(info.bits, 10) << " | "
        << llvm::format_hex(info.mask(), 10) << " | " << unitName(info.unit)
        << " | "
        << (info.rs2Late   ? "rs1, rs2"
            : info.rs1Late ? "rs1"
                           : "")
        << " | ";
    for (uint32_t reg = 0; reg < 32; ++reg)
      if ((info.clobbers >> reg & 1) != 0)
        out << "x" << reg << " ";
    out << "| " << info.cycles << " | " << info.meaning << " |\n";
  }
}

static void writeOperand(raw_ostream &out, std::string_view formats,
                         const OperandInfo &operand) {
  out << "| " << formats << " | " << operand.name << " | " << operand.minimum()
      << " to " << operand.maximum() << (operand.zeroBits != 0 ? ", even" : "")
      << " | ";
  for (size_t s = operand.sliceCount; s-- > 0;) {
    BitSlice slice = operand.slices[s];
    out << operand.name << "[" << slice.valueBit + slice.width - 1 << ":"
        << int(slice.valueBit) << "] in " << slice.wordBit + slice.width - 1
        << ":" << int(slice.wordBit) << (s != 0 ? ", " : "");
  }
  out << " |\n";
}

static void writeFormats(raw_ostream &out) {
  out << "\n### Operands of each format\n\n"
         "| instructions | operand | values | bits of the word |\n"
         "| --- | --- | --- | --- |\n";
  for (int f = 0; f <= int(Format::SyncOnly); ++f) {
    std::string users;
    for (const InstructionInfo &info : allInstructions())
      if (info.format == Format(f))
        users += (users.empty() ? "" : " ") + std::string(info.mnemonic);
    for (const OperandInfo &operand : operandsOf(Format(f))) {
      writeOperand(out, users, operand);
      users.clear();
    }
  }
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

static void writeFunctions(raw_ostream &out, CommandCode command) {
  if (!findFunction(command, 0))
    return;
  out << "\n| function | name | operands | slow steps | meaning |\n"
         "| --- | --- | --- | --- | --- |\n";
  for (const FunctionInfo &function : allFunctions())
    if (function.command == command)
      out << "| " << function.number << " | " << function.name << " | "
          << (function.arity == 1 ? "a" : "a, b") << " | " << function.slow
          << " | " << function.meaning << " |\n";
}

static void writeCommands(raw_ostream &out, EngineKind kind) {
  for (const CommandInfo &info : allCommands()) {
    if (info.kind != kind)
      continue;
    out << "\n#### `" << info.name << "` (code " << int(info.code) << ")\n\n"
        << "Meaning: " << info.meaning << ".\n\n"
        << "- reads, during execution: " << info.reads << "\n"
        << "- writes, during execution: " << info.writes << "\n"
        << "- cycles: `" << info.cycles << "`\n";
    writeFunctions(out, info.code);
  }
}

static void writeFields(raw_ostream &out, EngineKind kind) {
  out << "\n#### Staged fields of a " << engineKindName(kind)
      << " engine\n\n"
         "| number | field | values | at start | unit | meaning |\n"
         "| --- | --- | --- | --- | --- | --- |\n";
  size_t number = 0;
  for (const FieldInfo &field : allFields(kind))
    out << "| " << number++ << " | `" << field.name << "` | " << field.minimum()
        << " to " << field.maximum() << " | " << field.initial << " | "
        << field.unit << " | " << field.meaning << " |\n";
}

static const char *const kCommandsText = R"(
## Commands

In what follows i = (i0, i1, i2, i3) runs over size0 x size1 x size2 x size3;
P[i] is the element at `P.offset + i0 P.stride0 + i1 P.stride1 + i2 P.stride2 +
i3 P.stride3` of operand P; c is the index of dimension `channel` of i. rhe
rounds half to even, fl32 to f32.

A result shares no bytes with an operand, except that elementwise commands may
write where they read (equal space, offset, strides and element size), and
accumulators may be added to in place. By growing stride, each dimension of a
result steps over all smaller ones.

The x[rs1] of `go` is added to the offset of `src`, `in` or `a`; x[rs2] to that
of `dst`, of `out`, or of `acc` where a matrix command does not emit (then for
reading it as well).

**Passes.** A sum of more than `unit.rows` terms (depthwise: more than
`unit.taps` taps) takes several passes of the array, and all pixels of a block
of `unit.columns` columns (depthwise: `unit.channels`) finish one before the
next. Their partial sums wait in accumulator memory: a command that emits then
uses `acc` as work space, whose contents are undefined afterwards. With
`accumulate` that is acc[g, y, x, n] itself, otherwise acc[0, y, x, n mod
block], so that groups and blocks of columns take turns in the same place. It
has to lie in accumulator memory: with 128 KiB of it, at most 512 pixels of 64
columns at a time. A command of one pass that emits needs none.

In cycles, `unit.NAME` is the engine's in the machine file, `unit.load` the
cycles to fill the shadow weights (rows x columns / weight bytes per cycle),
`elements` size0 size1 size2 size3, `results` the elements of a reduction's
result, `transfer` the bytes of a DMA with each run of neighbouring bytes in a
region rounded up to the granule, `slow` the function's slow steps times the
unit's slow factor (at least 1). It is the time a command takes alone on an idle
machine. Commands that run at the same time share the bandwidth of global memory
and of SRAM: where the bytes of all of them, each over its own cycles, come to
more than the machine moves in a cycle, all are slowed in proportion. A wait
takes a cycle, unless it is among the first of those right before a command that
the machine has for free.

Element types, as numbers of `type` fields: )";

static void writeEngines(raw_ostream &out) {
  out << kCommandsText;
  const char *separator = "";
  for (machine::ElementType type : machine::allElementTypes) {
    out << separator << int(type) << " " << elementTypeName(type);
    separator = ", ";
  }
  out << ".\n";
  for (EngineKind kind :
       {EngineKind::Dma, EngineKind::Matrix, EngineKind::Vector}) {
    out << "\n### Engine: " << engineKindName(kind) << "\n";
    writeCommands(out, kind);
    writeFields(out, kind);
  }
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static const char *parameterMeaning(ParameterKind kind) {
  switch (kind) {
  case ParameterKind::Requantize:
    return "`v = x multiplier + offset; q = v >> shift; if (v mod 2^shift <= "
           "tie) q -= q mod 2; clamp(q + zero, lo, hi)` with one record for "
           "all channels or one for each. Parameters of rescale and of average "
           "pooling; a stage.";
  case ParameterKind::Linear:
    return "as requantize with `v = a multiplier.a + b multiplier.b + offset`. "
           "Parameters of linear; a stage with a the value and b the residual.";
  case ParameterKind::Product:
    return "requantize of `x = (a - za) (b - zb)`. Parameters of product; a "
           "stage with a the value and b the residual.";
  case ParameterKind::Softmax:
    return "parameters of softmax; 256 exponentials.";
  case ParameterKind::Bias:
    return "stage: add the channel's bias.";
  case ParameterKind::Clamp:
    return "stage: clamp to [lo, hi].";
  case ParameterKind::Second:
    return "stage: write the value to out2 as well.";
  case ParameterKind::Epilogue:
    return "parameters of conv: behind the tag and size of the epilogue itself "
           "up to 15 stages, blocks one after the other, each beginning at a "
           "multiple of 8 bytes. Unary blocks may be "
           "stages, too. The stages have a linear or product one only if the "
           "field `residual` is 1, and a second one exactly if `second` is 1.";
  }
  return "";
}

static const char *parameterName(ParameterKind kind) {
  switch (kind) {
  case ParameterKind::Requantize:
    return "requantize";
  case ParameterKind::Linear:
    return "linear";
  case ParameterKind::Product:
    return "product";
  case ParameterKind::Softmax:
    return "softmax";
  case ParameterKind::Bias:
    return "bias";
  case ParameterKind::Clamp:
    return "clamp";
  case ParameterKind::Second:
    return "second";
  case ParameterKind::Epilogue:
    return "epilogue";
  }
  return "";
}

static void writeParameters(raw_ostream &out) {
  out << R"(
## Parameter blocks

Little-endian; a block begins with its tag (u8), three zero bytes and its size
in bytes (u32), a multiple of 8. All fields are signed; arithmetic is modulo
2^64. Blocks of unary operators (tags 1 to 6) are those of
[operators](operators.md#parameter-blocks).
)";
  for (ParameterKind kind : allParameterKinds) {
    out << "\n### " << parameterName(kind) << " (tag " << int(kind) << ")\n\n"
        << parameterMeaning(kind) << "\n";
    std::vector<ParameterField> fields = parameterFields(kind);
    if (!fields.empty())
      out << "\n| byte | bits | field | |\n| --- | --- | --- | --- |\n";
    for (const ParameterField &field : fields) {
      out << "| " << field.offset;
      if (field.stride != 0)
        out << ", every " << field.stride;
      out << " | " << field.bits << " | " << field.name << " | "
          << field.meaning << " |\n";
    }
  }
}

void tally::isa::writeReference(raw_ostream &out) {
  out << replaced(kOpening, "%VERSION%", std::to_string(kVersion));
  writeInstructions(out);
  writeFormats(out);
  writeEngines(out);
  writeParameters(out);
}
