//===- Assembler.h - programs as text ---------------------------*- C++ -*-===//
//
// docs/formats/assembly.md describes the language. Failures are of kind Model
// and name the line and the rule:
//   ASM-1  a line has the form of the language
//   ASM-2  a mnemonic, directive, queue, field, command, type, space or
//          function that exists
//   ASM-3  an operand of the kind that stands there, and as many as the
//          instruction has
//   ASM-4  every label is defined once
//   ASM-5  a directive stands in its section, with values that it can have
// and the rules of Encode.h and Program.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ASM_ASSEMBLER_H
#define TALLY_EMIT_ASM_ASSEMBLER_H

#include "tally/emit/program/Program.h"

namespace tally::isa {

/// The program that `text` describes, for `machine`; its symbols are in order
/// of space, offset and name. `file` is what failures and the program call the
/// text.
Result<Program> assemble(std::string_view text, const machine::Machine &machine,
                         const std::string &file);

/// Text of which assemble makes an equal program, on the machine the program
/// was made for, if its symbols are in that order and its requirements are
/// those of its text; source lines are then those of the new text. `program`
/// passes checkProgram.
std::string disassemble(const Program &program);

} // namespace tally::isa

#endif // TALLY_EMIT_ASM_ASSEMBLER_H
