//===- ExternalFiles.cpp - tensor bytes beside the model ------------------===//
//
// The path is walked folder by folder from a descriptor of the model's folder,
// each step with O_NOFOLLOW, so that no step can be swapped for a link between
// a check and its use. The last step is looked at before it is opened (opening
// a device may do something) and again after (it may have been swapped).
//
// Copies are read with pread, which returns less when a file has shrunk where
// touching a mapping would kill the process.
//
//===----------------------------------------------------------------------===//

#include "tally/model/ExternalFiles.h"

#include "tally/model/OnnxRules.h"
#include "tally/support/FileDescriptor.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tally::model {

namespace {

struct OpenFile {
  FileDescriptor descriptor;
  int64_t size;
};

} // namespace

static std::string reason(int error) {
  return std::strerror(error); // NOLINT(concurrency-mt-unsafe)
}

/// "a/./b//c" as {"a", "b", "c"}, or a failure when it could leave the folder.
static Result<std::vector<std::string>> steps(const std::string &location) {
  auto escapes = [&](std::string_view why) {
    return breaks(OnnxRule::ExternalEscape, "the location '" +
                                                printable(location) + "' " +
                                                std::string(why));
  };
  if (location.find('\0') != std::string::npos)
    return escapes("holds a zero byte");
  if (location.starts_with('/'))
    return escapes("is an absolute path");
  std::vector<std::string> result;
  for (size_t begin = 0; begin <= location.size();) {
    size_t end = std::min(location.find('/', begin), location.size());
    std::string step = location.substr(begin, end - begin);
    if (step == "..")
      return escapes("leads out of the model's folder with '..'");
    if (!step.empty() && step != ".")
      result.push_back(std::move(step));
    begin = end + 1;
  }
  if (result.empty())
    return escapes("names no file");
  return result;
}

static Diagnostic unreadable(std::string_view what, int error) {
  return breaks(OnnxRule::ExternalUnreadable,
                std::string(what) + ": " + reason(error));
}

/// Opens the folder that holds the last step.
static Result<FileDescriptor> walk(const std::filesystem::path &folder,
                                   std::span<const std::string> folders) {
  FileDescriptor current(
      ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!current)
    return unreadable("cannot open the model's folder", errno);
  for (const std::string &step : folders) {
    FileDescriptor next(
        ::openat(current.get(), step.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!next)
      return unreadable("cannot open folder '" + printable(step) + "'", errno);
    struct stat facts;
    if (::fstat(next.get(), &facts) != 0)
      return unreadable("cannot look at folder '" + printable(step) + "'",
                        errno);
    if (S_ISLNK(facts.st_mode))
      return breaks(OnnxRule::ExternalLink,
                    "the folder '" + printable(step) + "' is a symbolic link");
    if (!S_ISDIR(facts.st_mode))
      return breaks(OnnxRule::ExternalUnreadable,
                    "'" + printable(step) + "' is not a folder");
    current = std::move(next);
  }
  return current;
}

static Status checkFacts(const struct stat &facts) {
  if (S_ISLNK(facts.st_mode))
    return breaks(OnnxRule::ExternalLink,
                  "the external data file is a symbolic link");
  if (!S_ISREG(facts.st_mode))
    return breaks(OnnxRule::ExternalIrregular,
                  "the external data is not a regular file");
  if (facts.st_nlink > 1)
    return breaks(OnnxRule::ExternalHardLink,
                  "the external data file has " +
                      std::to_string(facts.st_nlink) + " hard links");
  return Status::success();
}

static Result<OpenFile> openInside(const std::filesystem::path &folder,
                                   std::span<const std::string> path) {
  Result<FileDescriptor> parent = walk(folder, path.first(path.size() - 1));
  if (!parent)
    return parent.takeError();
  const char *name = path.back().c_str();
  struct stat facts;
  if (::fstatat(parent->get(), name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
    return unreadable("cannot find the external data file", errno);
  if (Status status = checkFacts(facts); !status)
    return status.takeError();
  FileDescriptor file(::openat(parent->get(), name,
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file)
    return unreadable("cannot open the external data file", errno);
  if (::fstat(file.get(), &facts) != 0)
    return unreadable("cannot look at the external data file", errno);
  if (Status status = checkFacts(facts); !status)
    return status.takeError();
  return OpenFile{std::move(file), static_cast<int64_t>(facts.st_size)};
}

static Result<SharedBytes> copyRange(int file, const ExternalRange &range) {
  auto length = static_cast<size_t>(range.length);
  std::shared_ptr<std::byte[]> buffer(new (std::nothrow) std::byte[length]);
  if (!buffer)
    return unreadable("cannot hold " + std::to_string(length) +
                          " bytes of external data",
                      ENOMEM);
  size_t done = 0;
  while (done < length) {
    ssize_t got = ::pread(file, buffer.get() + done, length - done,
                          range.offset + static_cast<int64_t>(done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return unreadable("cannot read the external data file", errno);
    if (got == 0)
      return breaks(OnnxRule::ExternalUnreadable,
                    "the external data file shrank while it was read");
    done += static_cast<size_t>(got);
  }
  return SharedBytes{{buffer.get(), length}, buffer};
}

static Result<SharedBytes> mapRange(int file, const ExternalRange &range) {
  if (range.length == 0)
    return SharedBytes{};
  int64_t page = ::sysconf(_SC_PAGESIZE);
  int64_t start = range.offset / page * page;
  auto length = static_cast<size_t>(range.offset - start + range.length);
  void *base = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file, start);
  if (base == MAP_FAILED)
    return unreadable("cannot map the external data file", errno);
  std::shared_ptr<const void> owner(
      base, [length](void *mapped) { ::munmap(mapped, length); });
  auto *first = static_cast<const std::byte *>(base) + (range.offset - start);
  return SharedBytes{{first, static_cast<size_t>(range.length)},
                     std::move(owner)};
}

static Status checkRange(const ExternalRange &range, int64_t fileSize,
                         int64_t handedOut) {
  // Written with differences, which cannot wrap: all three are >= 0.
  if (range.offset > fileSize || range.length > fileSize - range.offset)
    return breaks(OnnxRule::ExternalRange,
                  "the tensor takes " + std::to_string(range.length) +
                      " bytes from byte " + std::to_string(range.offset) +
                      " on, but the file has " + std::to_string(fileSize));
  if (range.length > fileSize - handedOut)
    return breaks(OnnxRule::ExternalOverlap,
                  "the tensors of this file overlap: they take more than its " +
                      std::to_string(fileSize) + " bytes");
  return Status::success();
}

static std::string join(std::span<const std::string> path) {
  std::string joined;
  for (const std::string &step : path)
    joined += (joined.empty() ? "" : "/") + step;
  return joined;
}

Result<SharedBytes> ExternalFiles::read(const ExternalRange &range) {
  if (folder.empty())
    return breaks(OnnxRule::ExternalNoFolder,
                  "the tensor's data is in '" + printable(range.location) +
                      "', but the model has no folder");
  Result<std::vector<std::string>> path = steps(range.location);
  if (!path)
    return path.takeError();
  std::string name = join(*path);
  RangeKey key{name, range.offset, range.length};
  if (auto found = known.find(key); found != known.end())
    return found->second;

  auto inFile = [&](Diagnostic failure) {
    failure.file = printable((folder / name).string(), 400);
    return failure;
  };
  Result<OpenFile> file = openInside(folder, *path);
  if (!file)
    return inFile(file.takeError());
  if (Status status = checkRange(range, file->size, handedOut[name]); !status)
    return inFile(status.takeError());
  int descriptor = file->descriptor.get();
  Result<SharedBytes> bytes = mode == ExternalData::Map
                                  ? mapRange(descriptor, range)
                                  : copyRange(descriptor, range);
  if (!bytes)
    return inFile(bytes.takeError());
  handedOut[name] += range.length;
  known.emplace(std::move(key), *bytes);
  return bytes;
}

} // namespace tally::model
