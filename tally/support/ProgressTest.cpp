//===- ProgressTest.cpp - a line that tells how far -----------------------===//

#include "tally/support/Progress.h"

#include "tally/support/FileDescriptor.h"
#include "tally/support/TestRequirement.h"

#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace tally;

namespace {

TEST(Progress, Line) {
  EXPECT_EQ(progressLine("compile", 12, 40, "conv3", 80),
            "compile  12/40 (30 %)  conv3");
  EXPECT_EQ(progressLine("compile", 12, 0, "", 80), "compile  12");
  EXPECT_EQ(progressLine("compile", 12, 40, "conv3", 10), "compile  1");
}

/// What can be read from `fd` without waiting.
std::string drain(int fd) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  char buffer[4096];
  ssize_t count = ::read(fd, buffer, sizeof buffer);
  return count > 0 ? std::string(buffer, size_t(count)) : "";
}

TEST(Progress, PipeStaysSilent) {
  ::setenv("TERM", "xterm", 1);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  FileDescriptor reader(ends[0]), writer(ends[1]);
  {
    Progress progress("work", 2, writer.get());
    EXPECT_FALSE(progress.isShown());
    progress.advance();
  }
  EXPECT_EQ(drain(reader.get()), "");
}

/// A pseudo-terminal: what is written to `terminal` is read from `screen`.
struct Terminal {
  FileDescriptor screen{::posix_openpt(O_RDWR | O_NOCTTY)};
  FileDescriptor terminal;

  bool open() {
    if (!screen || ::grantpt(screen.get()) || ::unlockpt(screen.get()))
      return false;
    terminal =
        FileDescriptor(::open(::ptsname(screen.get()), O_RDWR | O_NOCTTY));
    return bool(terminal);
  }
};

TEST(Progress, TerminalSeesOneLineRewritten) {
  ::setenv("TERM", "xterm", 1);
  Terminal pty;
  TALLY_REQUIRE_OR_SKIP(pty.open(),
                        "this system gives out no pseudo-terminals");
  {
    Progress progress("work", 4, pty.terminal.get());
    EXPECT_TRUE(progress.isShown());
    EXPECT_EQ(drain(pty.screen.get()), "\rwork  0/4 (0 %)\x1b[K");
    progress.advance(1, "too soon to draw");
    EXPECT_EQ(drain(pty.screen.get()), "");
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    progress.advance(1, "third");
    EXPECT_EQ(drain(pty.screen.get()), "\rwork  2/4 (50 %)  third\x1b[K");
  }
  EXPECT_EQ(drain(pty.screen.get()), "\r\x1b[K");
}

TEST(Progress, DumbTerminalStaysSilent) {
  ::setenv("TERM", "dumb", 1);
  Terminal pty;
  TALLY_REQUIRE_OR_SKIP(pty.open(),
                        "this system gives out no pseudo-terminals");
  Progress progress("work", 4, pty.terminal.get());
  EXPECT_FALSE(progress.isShown());
  EXPECT_EQ(drain(pty.screen.get()), "");
}

} // namespace
