//===- FileDescriptor.h - a descriptor that closes itself -------*- C++ -*-===//

#ifndef TALLY_SUPPORT_FILEDESCRIPTOR_H
#define TALLY_SUPPORT_FILEDESCRIPTOR_H

#include <unistd.h>
#include <utility>

namespace tally {

/// Owns one open file descriptor, or none (-1). Move-only.
class FileDescriptor {
public:
  explicit FileDescriptor(int fd = -1) : fd(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept
      : fd(std::exchange(other.fd, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~FileDescriptor() {
    if (fd >= 0)
      ::close(fd);
  }

  explicit operator bool() const { return fd >= 0; }
  int get() const { return fd; }

  /// Closes now; false when the system reports a late write error.
  bool close() { return ::close(std::exchange(fd, -1)) == 0; }

private:
  int fd;
};

} // namespace tally

#endif // TALLY_SUPPORT_FILEDESCRIPTOR_H
