//===- AtomicFile.h - a file written completely or not at all ---*- C++ -*-===//
//
// Output goes to a temporary in the target's own folder and takes the target's
// name only on commit(), in one rename: a reader sees the old file or the new
// one, never a part. Without a commit the temporary is removed and the old
// file stays as it was.
//
// A target that is a symbolic link is followed: the file it points to is
// replaced, the link stays.
//
// Rules: FILE-OUT-1 the folder exists and can be written; FILE-OUT-2 the
// target is a regular file or does not exist; FILE-OUT-3 the system accepts
// every byte.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_ATOMICFILE_H
#define TALLY_SUPPORT_ATOMICFILE_H

#include "tally/support/FileDescriptor.h"
#include "tally/support/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tally {

/// Permission bits of the finished file, the same whatever the umask, so that
/// equal inputs leave equal files.
enum class FileMode : unsigned {
  Data = 0644,       ///< tensors, reports, objects
  Executable = 0755, ///< shared libraries, programs
};

/// One file being written. Move-only; destroying it without commit() removes
/// the temporary.
class AtomicFile {
public:
  /// Starts the replacement of `path`. FailureKind::System, FILE-OUT-1/2.
  static Result<AtomicFile> create(const std::string &path,
                                   FileMode mode = FileMode::Data);

  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&other) noexcept;
  ~AtomicFile();

  /// Adds bytes at the end.
  Status append(std::span<const uint8_t> bytes);
  Status append(std::string_view text);

  /// Where the bytes are until commit(): for a linker or another writer that
  /// needs a name. It may replace the file of this name; what carries the name
  /// at commit() is what is kept.
  const std::string &temporaryPath() const { return temporary; }

  /// Gives the temporary its final name. Nothing may be appended afterwards.
  Status commit();

private:
  AtomicFile(std::string target, std::string temporary, FileDescriptor file,
             FileMode mode);

  std::string target;    ///< links resolved
  std::string temporary; ///< empty once committed or moved from
  FileDescriptor file;
  FileMode mode;
};

/// create, append, commit.
Status writeFileAtomically(const std::string &path,
                           std::span<const uint8_t> bytes,
                           FileMode mode = FileMode::Data);
Status writeFileAtomically(const std::string &path, std::string_view text,
                           FileMode mode = FileMode::Data);

} // namespace tally

#endif // TALLY_SUPPORT_ATOMICFILE_H
