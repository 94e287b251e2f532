//===- Artifact.cpp - a compiled model as a file --------------------------===//

#include "tally/runtime/Artifact.h"
#include "tally/runtime/BlockHash.h"
#include "tally/runtime/Host.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <fstream>

using namespace tally;
using namespace tally::runtime;
using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Bytes = std::span<const uint8_t>;

static tally::Diagnostic broken(FailureKind kind, std::string rule,
                                std::string message, std::string hint = "") {
  tally::Diagnostic failure;
  failure.kind = kind;
  failure.rule = std::move(rule);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static tally::Diagnostic notElf(const std::string &why) {
  return broken(FailureKind::Model, "ART-1", "not a compiled model: " + why);
}

static llvm::StringRef text(Bytes bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

const char *runtime::formName(ArtifactForm form) {
  switch (form) {
  case ArtifactForm::SharedLibrary:
    return "shared library";
  case ArtifactForm::Object:
    return "object";
  case ArtifactForm::Archive:
    return "archive";
  }
  return "";
}

/// A thin archive ("!<thin>") names other files and is none of ours.
static constexpr llvm::StringLiteral kArchiveMagic = "!<arch>\n";

bool runtime::beginsLikeArtifact(Bytes bytes) {
  return text(bytes).starts_with(llvm::StringRef(llvm::ELF::ElfMagic, 4)) ||
         text(bytes).starts_with(kArchiveMagic);
}

bool runtime::looksLikeArtifact(const std::string &path) {
  if (llvm::is_contained({".so", ".o", ".a"}, llvm::sys::path::extension(path)))
    return true;
  std::ifstream file(path, std::ios::binary);
  char head[64] = {};
  file.read(head, sizeof head);
  return beginsLikeArtifact(Bytes(reinterpret_cast<uint8_t *>(head),
                                  static_cast<size_t>(file.gcount())));
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

namespace {
struct Note {
  llvm::StringRef owner;
  uint32_t type = 0;
  Bytes contents;
};
} // namespace

/// The notes of one section: a 12-byte header (bytes of the owner's name with
/// its final zero, of the contents, type), name and contents each padded to
/// four bytes. What does not fit ends the list.
static std::vector<Note> parseNotes(Bytes section) {
  constexpr uint64_t kHeader = 12;
  std::vector<Note> notes;
  while (section.size() >= kHeader) {
    uint64_t nameBytes = llvm::support::endian::read32le(section.data());
    uint64_t contentBytes = llvm::support::endian::read32le(&section[4]);
    uint64_t contentAt = kHeader + llvm::alignTo(nameBytes, 4);
    uint64_t end = contentAt + llvm::alignTo(contentBytes, 4);
    if (contentAt + contentBytes > section.size())
      break;
    Note note;
    note.owner = text(section.subspan(kHeader, nameBytes)).split('\0').first;
    note.type = llvm::support::endian::read32le(&section[8]);
    note.contents = section.subspan(contentAt, contentBytes);
    notes.push_back(note);
    section = section.subspan(std::min<uint64_t>(end, section.size()));
  }
  return notes;
}

static Result<std::vector<Note>> notesOf(const Elf &elf) {
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
    for (Note &note : parseNotes(*contents))
      notes.push_back(note);
  }
  return notes;
}

static Result<Interface> interfaceOf(const std::vector<Note> &notes) {
  const Note *found = nullptr;
  for (const Note &note : notes) {
    if (note.owner != kNoteOwner || note.type != kNoteInterface)
      continue;
    if (found)
      return broken(FailureKind::Model, "ART-2",
                    "more than one compiled model is in the file");
    found = &note;
  }
  if (!found)
    return broken(FailureKind::Model, "ART-2",
                  "the file has no interface note: it was not made by tally, "
                  "or was stripped of its notes");
  llvm::StringRef json = text(found->contents).rtrim('\0');
  return interfaceFromJson({json.data(), json.size()});
}

//===----------------------------------------------------------------------===//
// Checksum
//===----------------------------------------------------------------------===//

/// Offset of the build id's bytes in `library`, or nothing.
static std::optional<size_t> checksumOffset(Bytes library,
                                            const std::vector<Note> &notes) {
  for (const Note &note : notes)
    if (note.owner == "GNU" && note.type == llvm::ELF::NT_GNU_BUILD_ID &&
        note.contents.size() == kChecksumBytes)
      return note.contents.data() - library.data();
  return std::nullopt;
}

/// The hash of all bytes but [offset, offset + kChecksumBytes).
static uint64_t checksum(Bytes library, size_t offset) {
  return hashInBlocks(
      {library.first(offset), library.subspan(offset + kChecksumBytes)});
}

static Status checkChecksum(Bytes library, const std::vector<Note> &notes) {
  auto offset = checksumOffset(library, notes);
  if (offset && llvm::support::endian::read64le(&library[*offset]) ==
                    checksum(library, *offset))
    return Status::success();
  return broken(FailureKind::Model, "ART-5",
                "the library's bytes are not those that were linked: it is "
                "damaged, or another tool changed it",
                "compile the model again");
}

Status runtime::sealSharedLibrary(std::span<uint8_t> library) {
  auto elf = Elf::create(text(library));
  if (!elf)
    return notElf(llvm::toString(elf.takeError()));
  auto notes = notesOf(*elf);
  if (!notes)
    return notes.takeError();
  auto offset = checksumOffset(library, *notes);
  if (!offset)
    return broken(FailureKind::Internal, "", "the library has no build id");
  llvm::support::endian::write64le(&library[*offset],
                                   checksum(library, *offset));
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Where the only member of an archive lies.
static Status findMember(Artifact &artifact) {
  llvm::Error error = llvm::Error::success();
  llvm::object::Archive archive(
      llvm::MemoryBufferRef(text(artifact.file), "archive"), error);
  if (error)
    return notElf(llvm::toString(std::move(error)));
  size_t members = 0;
  for (const auto &child : archive.children(error)) {
    auto buffer = child.getBuffer();
    if (!buffer) {
      llvm::consumeError(std::move(error));
      return notElf(llvm::toString(buffer.takeError()));
    }
    artifact.elfOffset = reinterpret_cast<const uint8_t *>(buffer->data()) -
                         artifact.file.data();
    artifact.elfSize = buffer->size();
    ++members;
  }
  if (error)
    return notElf(llvm::toString(std::move(error)));
  if (members != 1)
    return notElf("the archive has " + std::to_string(members) +
                  " members instead of one");
  return Status::success();
}

static Status checkHeader(const Elf &elf, ArtifactForm &form) {
  const Elf::Elf_Ehdr &header = elf.getHeader();
  if (header.e_ident[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 ||
      header.e_ident[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    return notElf("it is no 64-bit little-endian ELF file");
  if (header.e_type == llvm::ELF::ET_DYN && form != ArtifactForm::Archive)
    form = ArtifactForm::SharedLibrary;
  else if (header.e_type == llvm::ELF::ET_REL)
    form = form == ArtifactForm::Archive ? form : ArtifactForm::Object;
  else
    return notElf("the ELF file is neither a shared library nor an object");
  return Status::success();
}

static Status readInto(Artifact &artifact) {
  if (!beginsLikeArtifact(artifact.file))
    return notElf("it is neither ELF nor an archive");
  artifact.elfSize = artifact.file.size();
  if (text(artifact.file).starts_with(kArchiveMagic)) {
    artifact.form = ArtifactForm::Archive;
    if (Status status = findMember(artifact); !status)
      return status;
  }
  auto elf = Elf::create(text(artifact.elf()));
  if (!elf)
    return notElf(llvm::toString(elf.takeError()));
  if (Status status = checkHeader(*elf, artifact.form); !status)
    return status;
  auto notes = notesOf(*elf);
  if (!notes)
    return notes.takeError();
  auto interface = interfaceOf(*notes);
  if (!interface)
    return interface.takeError();
  artifact.interface = std::move(*interface);
  if (artifact.form != ArtifactForm::SharedLibrary)
    return Status::success();
  return checkChecksum(artifact.elf(), *notes);
}

Result<Artifact> runtime::parseArtifact(SharedBytes bytes,
                                        const std::string &name) {
  Artifact artifact;
  artifact.path = name;
  artifact.file = std::move(bytes);
  if (Status status = readInto(artifact); !status) {
    tally::Diagnostic failure = status.takeError();
    failure.file = name;
    return failure;
  }
  return artifact;
}

Result<Artifact> runtime::readArtifact(const std::string &path) {
  auto bytes = mapFile(path);
  if (!bytes)
    return bytes.takeError();
  return parseArtifact(std::move(*bytes), path);
}

//===----------------------------------------------------------------------===//
// This machine
//===----------------------------------------------------------------------===//

static std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

/// "; for avx512vnni it lacks avx512f, avx512bw", for each instruction set.
static std::string whatIsMissing(const std::vector<std::string> &tiers) {
  std::vector<std::string> parts;
  for (const std::string &tier : tiers)
    if (auto missing = missingFeatures(tier); !missing.empty())
      parts.push_back("for " + tier + " it lacks " + joined(missing));
  return parts.empty() ? "" : "; " + llvm::join(parts, "; ");
}

Status runtime::checkHost(const Interface &interface) {
  std::vector<std::string> offered = hostTiers();
  if (interface.target != hostTarget() || offered.empty())
    return broken(FailureKind::Unsupported, "ART-3",
                  "made for " + interface.target + ", this machine is " +
                      (offered.empty() ? "of another kind" : hostTarget()),
                  "compile the model for this machine, or run the library "
                  "where it belongs");
  for (const std::string &tier : interface.tiers)
    if (llvm::is_contained(offered, tier))
      return Status::success();
  return broken(FailureKind::Unsupported, "ART-4",
                "has code for " + joined(interface.tiers) +
                    " only, this processor offers " + joined(offered) +
                    whatIsMissing(interface.tiers),
                "compile the model with --tiers " + offered.front() +
                    " among others");
}
