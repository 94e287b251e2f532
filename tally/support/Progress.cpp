//===- Progress.cpp - a line that tells how far ---------------------------===//
//
// Drawing is: carriage return, the line, "erase to end of line" (ECMA-48 EL).
// A line never reaches the last column, so the terminal never wraps it.
//
//===----------------------------------------------------------------------===//

#include "tally/support/Progress.h"

#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace tally;

static constexpr std::string_view eraseToEnd = "\x1b[K";

static bool isTerminal(int fd) {
  const char *term = std::getenv("TERM");
  return term && std::string_view(term) != "dumb" && ::isatty(fd) == 1;
}

static size_t columnsOf(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return size.ws_col;
}

/// Progress is a courtesy: a terminal that refuses it is not a failure.
static void put(int fd, std::string_view text) {
  [[maybe_unused]] ssize_t ignored = ::write(fd, text.data(), text.size());
}

std::string tally::progressLine(std::string_view task, int64_t done,
                                int64_t total, std::string_view detail,
                                size_t columns) {
  std::string line = std::string(task) + "  " + std::to_string(done);
  if (total > 0)
    line += "/" + std::to_string(total) + " (" +
            std::to_string(int64_t(100.0 * double(done) / double(total))) +
            " %)";
  if (!detail.empty())
    line += "  " + std::string(detail);
  line.resize(std::min(line.size(), columns));
  return line;
}

Progress::Progress(std::string task, int64_t total, int fd)
    : task(std::move(task)), total(total), fd(fd), shown(isTerminal(fd)) {
  if (shown)
    draw("");
}

Progress::~Progress() {
  if (drawn)
    put(fd, "\r" + std::string(eraseToEnd));
}

void Progress::advance(int64_t count, std::string_view detail) {
  done += count;
  if (shown && Clock::now() - lastDrawn >= std::chrono::milliseconds(100))
    draw(detail);
}

void Progress::draw(std::string_view detail) {
  std::string line = progressLine(task, done, total, detail, columnsOf(fd) - 1);
  put(fd, "\r" + line + std::string(eraseToEnd));
  drawn = true;
  lastDrawn = Clock::now();
}
