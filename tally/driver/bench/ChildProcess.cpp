//===- ChildProcess.cpp - a program that answers line by line -------------===//
//
// One pair of sockets is both of the process's streams. Unlike a pipe, it can
// be written to without a signal when the other side has gone.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/bench/ChildProcess.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

using namespace tally;
using namespace tally::bench;

static tally::Diagnostic refused(const std::string &program, int error) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::System;
  failure.rule = "BENCH-2";
  failure.message = "'" + program + "' does not run: " + std::strerror(error);
  return failure;
}

/// posix_spawn with `channel` as standard input and output; an error number, or
/// 0 and the process.
static int spawn(const std::vector<std::string> &words, int channel,
                 const std::string &errorFile, pid_t &process) {
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channel, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errorFile.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int error = posix_spawn(&process, arguments[0], &actions, nullptr,
                          arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string> &words,
                                         const std::string &errorFile) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return refused(words[0], errno);
  FileDescriptor ours(ends[0]), theirs(ends[1]);
  pid_t process = 0;
  if (int error = spawn(words, theirs.get(), errorFile, process))
    return refused(words[0], error);
  return ChildProcess(process, std::move(ours));
}

ChildProcess::~ChildProcess() { finish(); }

void ChildProcess::writeLine(const std::string &line) {
  std::string text = line + "\n";
  for (size_t sent = 0; sent < text.size();) {
    ssize_t count = send(channel.get(), text.data() + sent, text.size() - sent,
                         MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return;
    sent += static_cast<size_t>(count);
  }
}

std::optional<std::string> ChildProcess::readLine() {
  size_t end;
  while ((end = pending.find('\n')) == std::string::npos) {
    char buffer[256];
    ssize_t count = recv(channel.get(), buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return std::nullopt;
    pending.append(buffer, static_cast<size_t>(count));
  }
  std::string line = pending.substr(0, end);
  pending.erase(0, end + 1);
  return line;
}

int ChildProcess::finish() {
  if (process.id == 0)
    return -1;
  channel = FileDescriptor();
  int status = 0;
  auto id = static_cast<pid_t>(std::exchange(process.id, 0));
  while (waitpid(id, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
