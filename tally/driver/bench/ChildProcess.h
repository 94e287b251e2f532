//===- ChildProcess.h - a program that answers line by line -----*- C++ -*-===//

#ifndef TALLY_DRIVER_BENCH_CHILDPROCESS_H
#define TALLY_DRIVER_BENCH_CHILDPROCESS_H

#include "tally/support/FileDescriptor.h"
#include "tally/support/Result.h"

#include <optional>
#include <string>
#include <vector>

namespace tally::bench {

/// A process whose standard input and output are ours to write and read. It is
/// waited for when this goes: it must end when its input does.
class ChildProcess {
public:
  /// Starts `words[0]`, a path; its standard error goes to the file
  /// `errorFile`. BENCH-2 (System) when the system refuses.
  static Result<ChildProcess> start(const std::vector<std::string> &words,
                                    const std::string &errorFile);
  ChildProcess(ChildProcess &&other) noexcept = default;
  ~ChildProcess();

  /// Sends a line; nothing happens when the process has ended.
  void writeLine(const std::string &line);
  /// The next line that it writes, without its end; nothing when it ended.
  std::optional<std::string> readLine();
  /// Ends its input and waits for it: its exit status, -1 after a signal.
  int finish();

private:
  ChildProcess(int64_t process, FileDescriptor channel)
      : process(process), channel(std::move(channel)) {}

  /// Moved with the object; none in what was moved from.
  struct Process {
    explicit Process(int64_t id) : id(id) {}
    Process(Process &&other) noexcept : id(std::exchange(other.id, 0)) {}
    int64_t id;
  } process;
  FileDescriptor channel;
  std::string pending; ///< read, but not yet a line
};

} // namespace tally::bench

#endif // TALLY_DRIVER_BENCH_CHILDPROCESS_H
