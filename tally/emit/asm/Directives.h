//===- Directives.h - the directives of assembly ----------------*- C++ -*-===//

#ifndef TALLY_EMIT_ASM_DIRECTIVES_H
#define TALLY_EMIT_ASM_DIRECTIVES_H

#include "tally/emit/asm/Expression.h"
#include "tally/emit/program/Program.h"

namespace tally::isa {

/// Most bytes of a data section.
inline constexpr int64_t kMaxSection = int64_t(1) << 28;

/// The space that .text, .constants or .context begins.
std::optional<int64_t> sectionOf(std::string_view directive);

/// Whether a directive makes bytes: .byte, .half, .word, .quad, .zero, .align.
bool isData(std::string_view directive);

/// How many bytes it makes at `offset`. The line is left as it was.
Result<int64_t> dataBytes(const std::string &directive, Line line,
                          int64_t offset);
/// Appends them.
Status dataValues(const std::string &directive, Line &line,
                  const Labels &labels, int64_t offset,
                  std::vector<uint8_t> &bytes);

/// Requirements that the text states itself.
struct StatedNeeds {
  std::optional<int64_t> sramBytes, accumulatorBytes;
};

/// ".input", ".output", ".state.old", ...
std::string_view bufferDirective(BufferUse use);

/// Behind all directives: finds the buffers of each state.
void joinStates(Program &program);

/// What other directives change.
struct DirectiveTarget {
  const machine::Machine &machine;
  Program &program;
  StatedNeeds &stated;
};

/// .machine, .producer, .input, .output, .arena, .scalar, .symbol, .sram,
/// .accumulators.
Status readDirective(const std::string &directive, Line &line,
                     DirectiveTarget target);

} // namespace tally::isa

#endif // TALLY_EMIT_ASM_DIRECTIVES_H
