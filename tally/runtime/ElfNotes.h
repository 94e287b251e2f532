//===- ElfNotes.h - notes of an ELF file ------------------------*- C++ -*-===//

#ifndef TALLY_RUNTIME_ELFNOTES_H
#define TALLY_RUNTIME_ELFNOTES_H

#include "tally/support/Result.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELF.h"

#include <span>
#include <vector>

namespace tally::runtime {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

/// One note; everything refers to the file's bytes.
struct Note {
  llvm::StringRef owner;
  uint32_t type = 0;
  std::span<const uint8_t> contents;
};

/// The notes of all note sections of an untrusted file, in its order. ART-1.
Result<std::vector<Note>> notesOf(const Elf &elf);

/// ART-1, with what is wrong.
Diagnostic notElf(const std::string &why);

/// `bytes` as LLVM wants them.
llvm::StringRef textOf(std::span<const uint8_t> bytes);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_ELFNOTES_H
