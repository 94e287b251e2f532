//===- Npz.h - NumPy's archives of arrays -----------------------*- C++ -*-===//
//
// A .npz file is a zip archive with one NAME.npy per array. Reading and writing
// zip is libzip's work; what is added here are the bounds that make an
// untrusted archive safe to open.
//
// Rules (FailureKind::Model):
//   NPZ-ZIP-1    the archive is consistent and every checksum holds
//   NPZ-ENTRY-1  every entry is named NAME.npy and no name occurs twice
//   NPZ-METHOD-1 entries are stored or deflated, and not encrypted
//   NPZ-SIZE-1   no entry claims more bytes than its compressed data can hold,
//                and all together stay under the limit of readNpz
// and those of Npy.h for each array.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_NPZ_H
#define TALLY_SUPPORT_NPZ_H

#include "tally/support/Npy.h"
#include "tally/support/ReadFile.h"

namespace tally {

/// One array of an archive, named without ".npy".
struct NpzEntry {
  std::string name;
  NpyArray array;

  bool operator==(const NpzEntry &) const = default;
};

enum class NpzCompression { Stored, Deflated };

/// Reads all arrays in the archive's order. `maxBytes` bounds the sum of their
/// uncompressed sizes.
Result<std::vector<NpzEntry>> readNpz(const std::string &path,
                                      int64_t maxBytes = defaultFileLimit);

/// The same from memory; `name` is what failures call the file.
Result<std::vector<NpzEntry>> parseNpz(std::span<const uint8_t> file,
                                       const std::string &name,
                                       int64_t maxBytes = defaultFileLimit);

/// The archive's bytes. Every entry carries the same date (1980-01-01), so
/// equal entries give equal bytes on any day and in any time zone. No entry
/// at all, or a repeated or empty name, is NPZ-ENTRY-1.
Result<std::vector<uint8_t>>
serializeNpz(std::span<const NpzEntry> entries,
             NpzCompression compression = NpzCompression::Stored);

/// Writes `path` completely or not at all (see AtomicFile.h).
Status writeNpz(const std::string &path, std::span<const NpzEntry> entries,
                NpzCompression compression = NpzCompression::Stored);

} // namespace tally

#endif // TALLY_SUPPORT_NPZ_H
