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
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tally {

/// Largest file read unless the caller says otherwise: 16 GiB.
inline constexpr int64_t defaultFileLimit = int64_t(1) << 34;

/// The bytes of the regular file `path` (symbolic links are followed). Fails
/// with FailureKind::System on FILE-IN-1..3; never blocks.
Result<std::vector<uint8_t>> readFile(const std::string &path,
                                      int64_t maxBytes = defaultFileLimit);

/// Bytes that copies share; they go with the last of them.
class SharedBytes {
public:
  SharedBytes() = default;
  SharedBytes(std::vector<uint8_t> bytes);
  SharedBytes(std::shared_ptr<const void> owner, std::span<const uint8_t> view)
      : owner(std::move(owner)), view(view) {}

  operator std::span<const uint8_t>() const { return view; }
  const uint8_t *data() const { return view.data(); }
  size_t size() const { return view.size(); }

private:
  std::shared_ptr<const void> owner;
  std::span<const uint8_t> view;
};

/// The same bytes as readFile's, mapped: nothing is copied, and pages are read
/// when they are looked at. For files that nobody makes shorter meanwhile: the
/// system ends a process that looks at what is no longer there.
Result<SharedBytes> mapFile(const std::string &path,
                            int64_t maxBytes = defaultFileLimit);

} // namespace tally

#endif // TALLY_SUPPORT_READFILE_H
