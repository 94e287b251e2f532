//===- ReadFile.h - a whole file, or why not --------------------*- C++ -*-===//
//
// Reading a file a user named. Only regular files are read (opening a FIFO or
// a device would block or never end), and never more than the caller's limit.
//
// Rules: FILE-IN-1 the file can be opened and read; FILE-IN-2 it is a regular
// file; FILE-IN-3 it is no larger than the limit and fits into memory.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_READFILE_H
#define TALLY_SUPPORT_READFILE_H

#include "tally/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tally {

/// Largest file read unless the caller says otherwise: 16 GiB.
inline constexpr int64_t defaultFileLimit = int64_t(1) << 34;

/// The bytes of the regular file `path` (symbolic links are followed). Fails
/// with FailureKind::System on FILE-IN-1..3; never blocks.
Result<std::vector<uint8_t>> readFile(const std::string &path,
                                      int64_t maxBytes = defaultFileLimit);

} // namespace tally

#endif // TALLY_SUPPORT_READFILE_H
