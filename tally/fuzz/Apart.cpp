//===- Apart.cpp - work in a process of its own ---------------------------===//
//
// The child of a check writes lines to a pipe: "at STEP" before each step, the
// counts, and at last "verdict V", "step S" and "message M". If it dies before,
// the last step named is where.
//
//===----------------------------------------------------------------------===//

#include "tally/fuzz/Apart.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tally;
using namespace tally::fuzz;

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

static void writeAll(int pipe, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(pipe, text.data(), text.size());
    if (written <= 0)
      _exit(1);
    text = text.drop_front(written);
  }
}

[[noreturn]] static void
runChild(unsigned seconds, bool isQuiet, int pipe,
         llvm::function_ref<void(const Writer &)> work) {
  ::signal(SIGALRM, SIG_DFL); // the parent may have a watchdog
  ::alarm(seconds);
  if (int null = ::open("/dev/null", O_WRONLY); isQuiet && null >= 0)
    ::dup2(null, STDERR_FILENO);
  work([&](llvm::StringRef text) { writeAll(pipe, text); });
  // Nothing of the parent's is to be flushed or destroyed here.
  _exit(0);
}

static std::string readAll(int pipe) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(pipe, buffer, sizeof buffer)) > 0;)
    text.append(buffer, n);
  ::close(pipe);
  return text;
}

static std::string deathText(int status, unsigned seconds) {
  if (WIFEXITED(status))
    return WEXITSTATUS(status) ? "the process ends with status " +
                                     std::to_string(WEXITSTATUS(status))
                               : "";
  if (WTERMSIG(status) == SIGALRM)
    return "no end after " + std::to_string(seconds) + " s";
  return std::string("the process dies: ") + strsignal(WTERMSIG(status));
}

Ending fuzz::runApart(unsigned seconds, bool isQuiet,
                      llvm::function_ref<void(const Writer &)> work) {
  int ends[2];
  if (::pipe(ends) != 0)
    return {"", std::string("no pipe: ") + std::strerror(errno)};
  llvm::outs().flush();
  pid_t child = ::fork();
  if (child < 0)
    return {"", std::string("no process: ") + std::strerror(errno)};
  if (child == 0) {
    ::close(ends[0]);
    runChild(seconds, isQuiet, ends[1], work);
  }
  ::close(ends[1]);
  std::string text = readAll(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {std::move(text), deathText(status, seconds)};
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Newlines would end the record.
static std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

static void writeOutcome(const Outcome &outcome, const Writer &write) {
  write("verdict " + std::to_string(static_cast<int>(outcome.verdict)) + "\n");
  write("step " + outcome.step + "\n");
  write("message " + oneLine(outcome.message) + "\n");
}

static Outcome readOutcome(llvm::StringRef text, Coverage &coverage) {
  Outcome outcome;
  for (llvm::StringRef line : llvm::split(text.rtrim('\n'), '\n')) {
    int verdict;
    if (line.consume_front("at ") || line.consume_front("step "))
      outcome.step = line.str();
    else if (line.consume_front("message "))
      outcome.message = line.str();
    else if (line.consume_front("verdict ") && !line.getAsInteger(10, verdict))
      outcome.verdict = static_cast<Verdict>(verdict);
    else
      coverage.addLine(line);
  }
  return outcome;
}

Outcome fuzz::checkApart(const Graph &graph, const Setting &setting,
                         Coverage &coverage, unsigned seconds, bool isQuiet,
                         const Check &law) {
  Ending ending = runApart(seconds, isQuiet, [&](const Writer &write) {
    Coverage reached;
    Outcome outcome = law(graph, setting, reached, [&](const char *step) {
      write(std::string("at ") + step + "\n");
    });
    write(reached.lines());
    writeOutcome(outcome, write);
  });
  Outcome outcome = readOutcome(ending.text, coverage);
  if (!ending.death.empty()) {
    outcome.verdict = Verdict::Fails;
    outcome.message = std::move(ending.death);
  }
  return outcome;
}

//===----------------------------------------------------------------------===//
// This process
//===----------------------------------------------------------------------===//

/// What the watchdog says; a signal handler has no other way to know.
static std::string lastWords;

static void sayAndEnd(int) {
  writeAll(STDERR_FILENO, lastWords);
  _exit(1);
}

Watchdog::Watchdog(unsigned seconds, std::string text) {
  llvm::outs().flush();
  lastWords = std::move(text);
  ::signal(SIGALRM, sayAndEnd);
  ::alarm(seconds);
}

Watchdog::~Watchdog() {
  ::alarm(0);
  ::signal(SIGALRM, SIG_DFL);
}
