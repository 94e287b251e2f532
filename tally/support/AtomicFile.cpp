//===- AtomicFile.cpp - a file written completely or not at all -----------===//
//
// POSIX promises that rename() within one file system replaces its target in
// one step; the temporary is therefore made beside the target, as
// ".NAME.XXXXXX". Example: writing "out/net.so" creates "out/.net.so.k3Jd8Q",
// then renames. Nothing is flushed to the device: an artifact can be made
// again, and a reader in the same system sees complete files either way.
//
//===----------------------------------------------------------------------===//

#include "tally/support/AtomicFile.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

using namespace tally;

static Diagnostic failure(const std::string &path, std::string message,
                          const char *rule, std::string hint = "") {
  return {FailureKind::System, std::move(message), rule, path, "",
          std::move(hint)};
}

static Diagnostic systemFailure(const std::string &path, const char *what,
                                const char *rule, std::string hint = "") {
  return failure(path, std::string(what) + ": " + std::strerror(errno), rule,
                 std::move(hint));
}

/// The path whose directory entry is to be replaced: `path` itself, or what a
/// symbolic link of that name leads to.
static Result<std::string> resolveTarget(const std::string &path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode))
    return path;
  char *resolved = ::realpath(path.c_str(), nullptr);
  if (!resolved)
    return systemFailure(path, "cannot follow the symbolic link", "FILE-OUT-2",
                         "remove the link or make what it points to");
  std::string target = resolved;
  std::free(resolved);
  return target;
}

static Status checkReplaceable(const std::string &target) {
  struct stat info;
  if (::stat(target.c_str(), &info) != 0)
    return Status::success();
  if (S_ISDIR(info.st_mode))
    return failure(target, "expected a file to write, found a folder",
                   "FILE-OUT-2", "name a file inside the folder");
  if (!S_ISREG(info.st_mode))
    return failure(target, "expected a regular file to replace, found a device",
                   "FILE-OUT-2", "write to a file and copy it from there");
  return Status::success();
}

/// "DIR/.NAME.XXXXXX" for "DIR/NAME"; long names are cut so that the temporary
/// stays within the usual limit of 255 bytes.
static std::string temporaryPattern(const std::string &target) {
  size_t nameStart = target.rfind('/') + 1; // npos + 1 is 0
  return target.substr(0, nameStart) + "." + target.substr(nameStart, 240) +
         ".XXXXXX";
}

AtomicFile::AtomicFile(std::string target, std::string temporary,
                       FileDescriptor file, FileMode mode)
    : target(std::move(target)), temporary(std::move(temporary)),
      file(std::move(file)), mode(mode) {}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : target(std::move(other.target)),
      temporary(std::exchange(other.temporary, "")),
      file(std::move(other.file)), mode(other.mode) {}

AtomicFile &AtomicFile::operator=(AtomicFile &&other) noexcept {
  std::swap(target, other.target);
  std::swap(temporary, other.temporary);
  std::swap(file, other.file);
  std::swap(mode, other.mode);
  return *this;
}

AtomicFile::~AtomicFile() {
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

Result<AtomicFile> AtomicFile::create(const std::string &path, FileMode mode) {
  if (path.empty())
    return failure(path, "expected a file to write, found an empty name",
                   "FILE-OUT-2");
  Result<std::string> target = resolveTarget(path);
  if (!target)
    return target.takeError();
  if (Status status = checkReplaceable(*target); !status)
    return status.takeError();
  std::string temporary = temporaryPattern(*target);
  FileDescriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file)
    return systemFailure(path, "cannot create a file in its folder",
                         "FILE-OUT-1",
                         "check that the folder exists and may be written");
  return AtomicFile(std::move(*target), std::move(temporary), std::move(file),
                    mode);
}

Status AtomicFile::append(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemFailure(target, "cannot write", "FILE-OUT-3");
    bytes = bytes.subspan(size_t(count));
  }
  return Status::success();
}

Status AtomicFile::append(std::string_view text) {
  return append(
      std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}

Status AtomicFile::commit() {
  if (!file.close())
    return systemFailure(target, "cannot finish writing", "FILE-OUT-3");
  if (::chmod(temporary.c_str(), mode_t(mode)) != 0)
    return systemFailure(target, "cannot set permissions", "FILE-OUT-3");
  if (::rename(temporary.c_str(), target.c_str()) != 0)
    return systemFailure(target, "cannot replace the file", "FILE-OUT-1");
  temporary.clear();
  return Status::success();
}

Status tally::writeFileAtomically(const std::string &path,
                                  std::span<const uint8_t> bytes,
                                  FileMode mode) {
  Result<AtomicFile> file = AtomicFile::create(path, mode);
  if (!file)
    return file.takeError();
  if (Status status = file->append(bytes); !status)
    return status;
  return file->commit();
}

Status tally::writeFileAtomically(const std::string &path,
                                  std::string_view text, FileMode mode) {
  return writeFileAtomically(
      path,
      std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()),
      mode);
}
