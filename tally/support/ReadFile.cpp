//===- ReadFile.cpp - a whole file, or why not ----------------------------===//
//
// The size is taken from the open descriptor, so what is checked is what is
// read; a file that shrinks meanwhile is reported, one that grows is read up
// to the size first seen. Cost: one copy of the file, or none when it is
// mapped.
//
//===----------------------------------------------------------------------===//

#include "tally/support/ReadFile.h"

#include "tally/support/FileDescriptor.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace tally;

static Diagnostic failure(const std::string &path, std::string message,
                          const char *rule, std::string hint = "") {
  return {FailureKind::System, std::move(message), rule, path, "",
          std::move(hint)};
}

static Diagnostic systemFailure(const std::string &path, const char *what) {
  return failure(path, std::string(what) + ": " + std::strerror(errno),
                 "FILE-IN-1");
}

/// Size in bytes of an open regular file that respects the limit.
static Result<int64_t> checkedSize(const std::string &path, int fd,
                                   int64_t maxBytes) {
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return systemFailure(path, "cannot examine the file");
  if (!S_ISREG(info.st_mode))
    return failure(path, "expected a regular file, found a folder or device",
                   "FILE-IN-2");
  if (info.st_size > maxBytes)
    return failure(path,
                   "the file has " + std::to_string(info.st_size) +
                       " bytes, more than the limit of " +
                       std::to_string(maxBytes),
                   "FILE-IN-3");
  return int64_t(info.st_size);
}

static Status fill(const std::string &path, int fd,
                   std::vector<uint8_t> &bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemFailure(path, "cannot read the file");
    if (count == 0)
      return failure(path, "the file became shorter while it was read",
                     "FILE-IN-1", "try again once nothing writes to it");
    done += size_t(count);
  }
  return Status::success();
}

// O_NONBLOCK: opening a FIFO without a writer must not hang.
static constexpr int kOpenFlags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;

Result<std::vector<uint8_t>> tally::readFile(const std::string &path,
                                             int64_t maxBytes) {
  FileDescriptor file(::open(path.c_str(), kOpenFlags));
  if (!file)
    return systemFailure(path, "cannot open the file");
  Result<int64_t> size = checkedSize(path, file.get(), maxBytes);
  if (!size)
    return size.takeError();
  std::vector<uint8_t> bytes;
  try {
    bytes.resize(size_t(*size));
  } catch (const std::bad_alloc &) {
    return failure(
        path, "no memory for the file's " + std::to_string(*size) + " bytes",
        "FILE-IN-3");
  }
  if (Status status = fill(path, file.get(), bytes); !status)
    return status.takeError();
  return bytes;
}

SharedBytes::SharedBytes(std::vector<uint8_t> bytes) {
  auto kept = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  view = *kept;
  owner = std::move(kept);
}

Result<SharedBytes> tally::mapFile(const std::string &path, int64_t maxBytes) {
  FileDescriptor file(::open(path.c_str(), kOpenFlags));
  if (!file)
    return systemFailure(path, "cannot open the file");
  Result<int64_t> size = checkedSize(path, file.get(), maxBytes);
  if (!size)
    return size.takeError();
  auto bytes = static_cast<size_t>(*size);
  if (bytes == 0)
    return SharedBytes(); // there are no maps of nothing
  void *memory = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED)
    return systemFailure(path, "cannot map the file");
  std::shared_ptr<const void> owner(
      memory, [bytes](void *memory) { ::munmap(memory, bytes); });
  return SharedBytes(std::move(owner),
                     {static_cast<const uint8_t *>(memory), bytes});
}
