//===- ElfNotes.cpp - notes of an ELF file --------------------------------===//

#include "tally/runtime/ElfNotes.h"
#include "tally/support/Failed.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tally;
using namespace tally::runtime;

tally::Diagnostic runtime::notElf(const std::string &why) {
  return failed(FailureKind::Model, "ART-1", "not a compiled model: " + why);
}

llvm::StringRef runtime::textOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// The notes of one section: a 12-byte header (bytes of the owner's name with
/// its final zero, of the contents, type), name and contents each padded to
/// four bytes. What does not fit ends the list.
static void parseNotes(std::span<const uint8_t> section,
                       std::vector<Note> &notes) {
  constexpr uint64_t kHeader = 12;
  while (section.size() >= kHeader) {
    uint64_t nameBytes = llvm::support::endian::read32le(section.data());
    uint64_t contentBytes = llvm::support::endian::read32le(&section[4]);
    uint64_t contentAt = kHeader + llvm::alignTo(nameBytes, 4);
    uint64_t end = contentAt + llvm::alignTo(contentBytes, 4);
    if (contentAt + contentBytes > section.size())
      break;
    Note note;
    note.owner = textOf(section.subspan(kHeader, nameBytes)).split('\0').first;
    note.type = llvm::support::endian::read32le(&section[8]);
    note.contents = section.subspan(contentAt, contentBytes);
    notes.push_back(note);
    section = section.subspan(std::min<uint64_t>(end, section.size()));
  }
}

Result<std::vector<Note>> runtime::notesOf(const Elf &elf) {
  auto sections = elf.sections();
  if (!sections)
    return notElf(llvm::toString(sections.takeError()));
  std::vector<Note> notes;
  for (const Elf::Elf_Shdr &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_NOTE)
      continue;
    auto contents = elf.getSectionContents(section);
    if (!contents)
      return notElf(llvm::toString(contents.takeError()));
    parseNotes(*contents, notes);
  }
  return notes;
}
