//===- Progress.h - a line that tells how far ------------------*- C++ -*-===//
//
// Long work shows one line that is rewritten in place, on a terminal only:
// logs, pipes and TERM=dumb get nothing, so output to a file never depends on
// time. The line is removed when the work ends.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_PROGRESS_H
#define TALLY_SUPPORT_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tally {

/// "task  12/40 (30 %)  detail", cut to `columns` characters; without a total
/// (0) "task  12  detail". Counts are in whatever unit the task has.
std::string progressLine(std::string_view task, int64_t done, int64_t total,
                         std::string_view detail, size_t columns);

/// One running task. Not copyable; used from one thread.
class Progress {
public:
  /// `fd` is where the line goes: standard error unless a test says otherwise.
  explicit Progress(std::string task, int64_t total = 0, int fd = 2);
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  ~Progress();

  /// `count` further units are done; the next one is about `detail`. Draws at
  /// most ten times a second.
  void advance(int64_t count = 1, std::string_view detail = "");

  /// Whether anything is drawn at all.
  bool isShown() const { return shown; }

private:
  using Clock = std::chrono::steady_clock;

  void draw(std::string_view detail);

  std::string task;
  int64_t total;
  int64_t done = 0;
  int fd;
  bool shown;
  bool drawn = false;
  Clock::time_point lastDrawn;
};

} // namespace tally

#endif // TALLY_SUPPORT_PROGRESS_H
