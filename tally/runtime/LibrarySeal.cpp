//===- LibrarySeal.cpp - whether a library is as it was linked ------------===//

#include "tally/runtime/LibrarySeal.h"
#include "tally/runtime/BlockHash.h"
#include "tally/support/Failed.h"

#include "llvm/Support/Endian.h"

#include <algorithm>
#include <optional>

using namespace tally;
using namespace tally::runtime;
using Bytes = std::span<const uint8_t>;

/// In the seal: of the constants, behind that of all other bytes.
static constexpr size_t kConstantsAt = 8;

tally::Diagnostic runtime::damagedLibrary() {
  return failed(FailureKind::Model, "ART-5",
                "the library's bytes are not those that were linked: it is "
                "damaged, or another tool changed it",
                "compile the model again");
}

namespace {
/// [offset, offset + bytes) of a file.
struct Range {
  size_t offset = 0, bytes = 0;
  size_t end() const { return offset + bytes; }
};
} // namespace

/// The build id, or nothing.
static std::optional<Range> findSeal(Bytes library,
                                     const std::vector<Note> &notes) {
  for (const Note &note : notes)
    if (note.owner == "GNU" && note.type == llvm::ELF::NT_GNU_BUILD_ID &&
        note.contents.size() == kSealBytes)
      return Range{static_cast<size_t>(note.contents.data() - library.data()),
                   kSealBytes};
  return std::nullopt;
}

/// Where the loader puts bytes of the file.
static std::optional<uint64_t> loadedAt(const Elf &elf, Range range) {
  auto segments = elf.program_headers();
  if (!segments) {
    llvm::consumeError(segments.takeError());
    return std::nullopt;
  }
  for (const Elf::Elf_Phdr &segment : *segments)
    if (segment.p_type == llvm::ELF::PT_LOAD &&
        range.offset >= segment.p_offset &&
        range.end() - segment.p_offset <= segment.p_filesz)
      return segment.p_vaddr + (range.offset - segment.p_offset);
  return std::nullopt;
}

/// The section of constants; of no bytes when there is none that is loaded.
static SealedConstants findConstants(const Elf &elf, Bytes library) {
  auto sections = elf.sections();
  if (!sections) {
    llvm::consumeError(sections.takeError());
    return {};
  }
  for (const Elf::Elf_Shdr &section : *sections) {
    auto name = elf.getSectionName(section);
    auto contents = elf.getSectionContents(section);
    if (name && contents && *name == ".rodata" && !contents->empty()) {
      Range range{static_cast<size_t>(contents->data() - library.data()),
                  contents->size()};
      if (auto address = loadedAt(elf, range))
        return {range.offset, range.bytes, *address, 0};
    }
    llvm::consumeError(name.takeError());
    llvm::consumeError(contents.takeError());
  }
  return {};
}

/// The checksum of all bytes outside of the seal and the constants. In a file
/// that is not ours they may overlap.
static uint64_t checksumOfRest(Bytes library, Range seal,
                               const SealedConstants &constants) {
  Range first = seal, second{constants.offset, constants.bytes};
  if (second.offset < first.offset)
    std::swap(first, second);
  size_t between = std::max(first.end(), second.offset);
  return hashInBlocks({library.first(first.offset),
                       library.subspan(first.end(), between - first.end()),
                       library.subspan(std::max(first.end(), second.end()))});
}

static uint64_t checksumOf(const SealedConstants &constants, Bytes library) {
  return hashInBlocks({library.subspan(constants.offset, constants.bytes)});
}

Result<SealedConstants> runtime::checkSeal(const Elf &elf, Bytes library,
                                           const std::vector<Note> &notes) {
  using llvm::support::endian::read64le;
  auto seal = findSeal(library, notes);
  if (!seal)
    return damagedLibrary();
  SealedConstants constants = findConstants(elf, library);
  constants.hash = read64le(&library[seal->offset + kConstantsAt]);
  if (read64le(&library[seal->offset]) !=
      checksumOfRest(library, *seal, constants))
    return damagedLibrary();
  return constants;
}

Status runtime::checkConstants(const SealedConstants &constants,
                               Bytes library) {
  if (checksumOf(constants, library) == constants.hash)
    return Status::success();
  return damagedLibrary();
}

Status runtime::sealSharedLibrary(std::span<uint8_t> library) {
  auto elf = Elf::create(textOf(library));
  if (!elf)
    return notElf(llvm::toString(elf.takeError()));
  auto notes = notesOf(*elf);
  if (!notes)
    return notes.takeError();
  auto seal = findSeal(library, *notes);
  if (!seal)
    return failed(FailureKind::Internal, "", "the library has no build id");
  SealedConstants constants = findConstants(*elf, library);
  uint64_t rest = checksumOfRest(library, *seal, constants);
  llvm::support::endian::write64le(&library[seal->offset], rest);
  llvm::support::endian::write64le(&library[seal->offset + kConstantsAt],
                                   checksumOf(constants, library));
  return Status::success();
}
