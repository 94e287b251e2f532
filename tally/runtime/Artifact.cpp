//===- Artifact.cpp - a compiled model as a file --------------------------===//

#include "tally/runtime/Artifact.h"
#include "tally/runtime/Host.h"
#include "tally/runtime/LibrarySeal.h"
#include "tally/support/Failed.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <fstream>

using namespace tally;
using namespace tally::runtime;
using Bytes = std::span<const uint8_t>;

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
  return textOf(bytes).starts_with(llvm::StringRef(llvm::ELF::ElfMagic, 4)) ||
         textOf(bytes).starts_with(kArchiveMagic);
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

static Result<Interface> interfaceOf(const std::vector<Note> &notes) {
  const Note *found = nullptr;
  for (const Note &note : notes) {
    if (note.owner != kNoteOwner || note.type != kNoteInterface)
      continue;
    if (found)
      return failed(FailureKind::Model, "ART-2",
                    "more than one compiled model is in the file");
    found = &note;
  }
  if (!found)
    return failed(FailureKind::Model, "ART-2",
                  "the file has no interface note: it was not made by tally, "
                  "or was stripped of its notes");
  llvm::StringRef json = textOf(found->contents).rtrim('\0');
  return interfaceFromJson({json.data(), json.size()});
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Where the only member of an archive lies.
static Status findMember(Artifact &artifact) {
  llvm::Error error = llvm::Error::success();
  llvm::object::Archive archive(
      llvm::MemoryBufferRef(textOf(artifact.file), "archive"), error);
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

/// ART-5, as far as `check` asks.
static Status readSeal(Artifact &artifact, const Elf &elf,
                       const std::vector<Note> &notes, Check check) {
  auto constants = checkSeal(elf, artifact.elf(), notes);
  if (!constants)
    return constants.takeError();
  artifact.constants = *constants;
  if (check == Check::AllButConstants)
    return Status::success();
  return checkConstants(*artifact.constants, artifact.elf());
}

static Status readInto(Artifact &artifact, Check check) {
  if (!beginsLikeArtifact(artifact.file))
    return notElf("it is neither ELF nor an archive");
  artifact.elfSize = artifact.file.size();
  if (textOf(artifact.file).starts_with(kArchiveMagic)) {
    artifact.form = ArtifactForm::Archive;
    if (Status status = findMember(artifact); !status)
      return status;
  }
  auto elf = Elf::create(textOf(artifact.elf()));
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
  return readSeal(artifact, *elf, *notes, check);
}

Result<Artifact> runtime::parseArtifact(SharedBytes bytes,
                                        const std::string &name, Check check) {
  Artifact artifact;
  artifact.path = name;
  artifact.file = std::move(bytes);
  if (Status status = readInto(artifact, check); !status) {
    tally::Diagnostic failure = status.takeError();
    failure.file = name;
    return failure;
  }
  return artifact;
}

Result<Artifact> runtime::readArtifact(const std::string &path, Check check) {
  auto bytes = mapFile(path);
  if (!bytes)
    return bytes.takeError();
  return parseArtifact(std::move(*bytes), path, check);
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
    return failed(FailureKind::Unsupported, "ART-3",
                  "made for " + interface.target + ", this machine is " +
                      (offered.empty() ? "of another kind" : hostTarget()),
                  "compile the model for this machine, or run the library "
                  "where it belongs");
  std::vector<std::string> tiers = interface.tiers;
  if (interface.emulated)
    tiers.emplace_back("avx2"); // what the others are made of
  for (const std::string &tier : tiers)
    if (llvm::is_contained(offered, tier))
      return Status::success();
  return failed(FailureKind::Unsupported, "ART-4",
                "has code for " + joined(interface.tiers) +
                    " only, this processor offers " + joined(offered) +
                    whatIsMissing(tiers),
                "compile the model with --tiers " + offered.front() +
                    " among others" +
                    (llvm::is_contained(offered, "avx2")
                         ? ", or with --emulate to see its results here"
                         : ""));
}
