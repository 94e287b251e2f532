//===- Apart.cpp - a check in a process of its own ------------------------===//
//
// The child writes lines to a pipe: "at STEP" before each step, the counts, and
// at last "verdict V", "step S" and "message M". If it dies before, the last
// step named is where.
//
//===----------------------------------------------------------------------===//

#include "tally/fuzz/Law.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tally;
using namespace tally::fuzz;

static void writeAll(int pipe, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(pipe, text.data(), text.size());
    if (written <= 0)
      _exit(1);
    text = text.drop_front(written);
  }
}

/// Newlines would end the record.
static std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

[[noreturn]] static void runChild(const Graph &graph, const Setting &setting,
                                  unsigned seconds, bool isQuiet, int pipe) {
  ::alarm(seconds);
  if (int null = ::open("/dev/null", O_WRONLY); isQuiet && null >= 0)
    ::dup2(null, STDERR_FILENO);
  Coverage coverage;
  Outcome outcome = check(graph, setting, coverage, [&](const char *step) {
    writeAll(pipe, std::string("at ") + step + "\n");
  });
  writeAll(pipe, coverage.lines());
  writeAll(pipe, "verdict " +
                     std::to_string(static_cast<int>(outcome.verdict)) + "\n");
  writeAll(pipe, "step " + outcome.step + "\n");
  writeAll(pipe, "message " + oneLine(outcome.message) + "\n");
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

static std::string deathText(int status, unsigned seconds) {
  if (!WIFSIGNALED(status))
    return "the process ends with status " +
           std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM)
    return "no end after " + std::to_string(seconds) + " s";
  return std::string("the process dies: ") + strsignal(WTERMSIG(status));
}

Outcome fuzz::checkApart(const Graph &graph, const Setting &setting,
                         Coverage &coverage, unsigned seconds, bool isQuiet) {
  int ends[2];
  if (::pipe(ends) != 0)
    return {Verdict::Fails, "pipe", std::strerror(errno)};
  llvm::outs().flush();
  pid_t child = ::fork();
  if (child < 0)
    return {Verdict::Fails, "fork", std::strerror(errno)};
  if (child == 0) {
    ::close(ends[0]);
    runChild(graph, setting, seconds, isQuiet, ends[1]);
  }
  ::close(ends[1]);
  Outcome outcome = readOutcome(readAll(ends[0]), coverage);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    outcome.verdict = Verdict::Fails;
    outcome.message = deathText(status, seconds);
  }
  return outcome;
}
