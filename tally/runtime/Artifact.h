//===- Artifact.h - a compiled model as a file ------------------*- C++ -*-===//
//
// Reads what an artifact tells about itself without loading or executing it:
// the ELF note of owner "Tally", type 1, whose contents are the interface's
// JSON text. Artifacts are shared libraries (.so), relocatable objects (.o) and
// archives of one object (.a). Files are untrusted.
//
// A shared library's build id is a seal of its own bytes (LibrarySeal.h), so
// that damaged code is refused before the system's loader meets it, and damaged
// constants before they are used.
//
// Rules:
//   ART-1  the file is a 64-bit little-endian ELF shared library or object, or
//          an archive of such objects (Model)
//   ART-2  exactly one Tally note is in it (Model)
//   ART-3  it was made for this operating system and processor family
//          (Unsupported)
//   ART-4  it has code for an instruction set that this processor offers
//          (Unsupported)
//   ART-5  a shared library's bytes are those that were linked (Model)
// and those of Interface.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_ARTIFACT_H
#define TALLY_RUNTIME_ARTIFACT_H

#include "tally/runtime/Interface.h"
#include "tally/runtime/SealedConstants.h"
#include "tally/support/ReadFile.h"

#include <span>

namespace tally::runtime {

inline constexpr const char *kNoteOwner = "Tally";
inline constexpr uint32_t kNoteInterface = 1;

enum class ArtifactForm { SharedLibrary, Object, Archive };
const char *formName(ArtifactForm form); ///< "shared library", ...

struct Artifact {
  std::string path;
  ArtifactForm form = ArtifactForm::SharedLibrary;
  Interface interface;
  SharedBytes file;
  /// The ELF file within `file`: all of it, or an archive's member.
  size_t elfOffset = 0, elfSize = 0;
  /// Of a shared library.
  std::optional<SealedConstants> constants;

  std::span<const uint8_t> elf() const {
    return std::span<const uint8_t>(file).subspan(elfOffset, elfSize);
  }
};

/// Whether a file that begins so is meant to be an artifact: ELF or archive.
bool beginsLikeArtifact(std::span<const uint8_t> bytes);
/// Whether `path` names an artifact: a file that begins so, or one, there or
/// not, with the name of one (.so, .o, .a).
bool looksLikeArtifact(const std::string &path);

/// Which bytes of a shared library are compared with its seal.
enum class Check {
  All,
  AllButConstants, ///< those are the loaded program's to check (Program.h)
};

/// Reads and checks `path`: ART-1, ART-2, ART-5, IFC-1, IFC-2.
Result<Artifact> readArtifact(const std::string &path,
                              Check check = Check::All);
/// The same from memory; `name` is what failures call the file.
Result<Artifact> parseArtifact(SharedBytes bytes, const std::string &name,
                               Check check = Check::All);

/// Whether this machine can run it: ART-3, ART-4.
Status checkHost(const Interface &interface);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_ARTIFACT_H
