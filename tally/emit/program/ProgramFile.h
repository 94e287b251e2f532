//===- ProgramFile.h - programs as ELF files --------------------*- C++ -*-===//
//
// A program is a 32-bit little-endian RISC-V executable that LLVM's and GNU's
// tools read. docs/formats/program.md gives its layout:
//
//   .text        the instructions
//   .rodata      region 0, constants and parameter blocks
//   .data        region 2, the context of a new stream
//   .note.tally  owner "Tally", type 3: all else of Program, as JSON text
//   .symtab      symbols of these three and nodes of the model, for tools; not
//                read back
//
// Rules (FailureKind::Model):
//   PROG-1  the file is such an executable
//   PROG-2  its note is there once, is JSON of the format, of this version
// and those of Program.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_PROGRAM_PROGRAMFILE_H
#define TALLY_EMIT_PROGRAM_PROGRAMFILE_H

#include "tally/emit/program/Program.h"

#include <span>

namespace tally::isa {

inline constexpr const char *kProgramNoteOwner = "Tally";
inline constexpr uint32_t kProgramNote = 3;
/// Highest version of the note that is read: a program with rings is version 3,
/// with other states version 2, all else version 1.
inline constexpr int64_t kProgramVersion = 4;

/// Whether bytes begin like such a file: ELF, 32 bits, RISC-V.
bool beginsLikeProgram(std::span<const uint8_t> bytes);

/// The file's bytes; equal programs give equal bytes. `program` passes
/// checkProgram.
std::vector<uint8_t> writeProgram(const Program &program);

/// Inverse of writeProgram, on untrusted bytes; `name` is what failures call
/// the file.
Result<Program> parseProgram(std::span<const uint8_t> bytes,
                             const std::string &name);

Result<Program> readProgram(const std::string &path);

/// The note's JSON text, and back.
std::string metadataToJson(const Program &program);
/// Fills all of `program` that the note states: PROG-2.
Status metadataFromJson(std::string_view text, Program &program);

} // namespace tally::isa

#endif // TALLY_EMIT_PROGRAM_PROGRAMFILE_H
