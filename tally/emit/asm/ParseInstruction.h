//===- ParseInstruction.h - an instruction from its text --------*- C++ -*-===//

#ifndef TALLY_EMIT_ASM_PARSEINSTRUCTION_H
#define TALLY_EMIT_ASM_PARSEINSTRUCTION_H

#include "tally/emit/asm/Expression.h"
#include "tally/emit/isa/Instruction.h"

namespace tally::isa {

/// Where an instruction stands.
struct InstructionPlace {
  const machine::Machine &machine;
  const Labels &labels;
  int64_t pc = 0; ///< bytes from the start of the text
};

/// `mnemonic` and the rest of its line: ASM-1 to ASM-4. Ranges are not checked.
Result<Instruction> parseInstruction(const std::string &mnemonic, Line &line,
                                     const InstructionPlace &place);

/// The number of a space by its name or number: `constants`, `arena`,
/// `context`, `sram`, `acc`, `text`.
std::optional<int64_t> spaceOf(std::string_view word);
/// Inverse of spaceOf.
std::string spaceText(int64_t space);

} // namespace tally::isa

#endif // TALLY_EMIT_ASM_PARSEINSTRUCTION_H
