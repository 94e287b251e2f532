//===- LibrarySeal.h - whether a library is as it was linked ----*- C++ -*-===//
//
// A shared library's build id is its seal, two checksums (BlockHash.h), each 8
// bytes, little-endian:
//
//   0   of all bytes but the build id and the constants
//   8   of the constants: the section .rodata, which only runs read
//
// So a library can be loaded when its code and tables are sound, and constants,
// nearly all of its bytes, are checked where they are used, before the first
// run (ConstantsCheck.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_LIBRARYSEAL_H
#define TALLY_RUNTIME_LIBRARYSEAL_H

#include "tally/runtime/ElfNotes.h"
#include "tally/runtime/SealedConstants.h"

namespace tally::runtime {

/// Bytes of a shared library's build id.
inline constexpr size_t kSealBytes = 16;

/// ART-5.
Diagnostic damagedLibrary();

/// Checks all bytes but the constants and says which these are. ART-5.
Result<SealedConstants> checkSeal(const Elf &elf,
                                  std::span<const uint8_t> library,
                                  const std::vector<Note> &notes);

/// Checks the constants in the file. ART-5.
Status checkConstants(const SealedConstants &constants,
                      std::span<const uint8_t> library);

/// Writes the checksums into a library that was linked with a build id of
/// kSealBytes zeros.
Status sealSharedLibrary(std::span<uint8_t> library);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_LIBRARYSEAL_H
