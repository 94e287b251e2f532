//===- Program.cpp - a compiled model in this process ---------------------===//

#include "tally/runtime/Program.h"

#include <dlfcn.h>
#include <filesystem>

using namespace tally;
using namespace tally::runtime;

static tally::Diagnostic failed(FailureKind kind, std::string rule,
                                std::string message) {
  tally::Diagnostic failure;
  failure.kind = kind;
  failure.rule = std::move(rule);
  failure.message = std::move(message);
  return failure;
}

/// What SYMBOL_run returns before it has written anything.
static constexpr int32_t kNumberOutOfRange = 4;

static tally::Diagnostic missing(const std::string &symbol) {
  return failed(FailureKind::Model, "RUN-6",
                "the library does not export " + symbol);
}

Status Program::run(const void *const *inputs, void *const *outputs,
                    void *arena, ParallelFor parallelFor, void *user) const {
  int32_t code = parallelFor ? entries.runParallel(inputs, outputs, arena,
                                                   parallelFor, user)
                             : entries.run(inputs, outputs, arena);
  if (code == 0)
    return Status::success();
  if (code == kNumberOutOfRange) {
    tally::Diagnostic failure = failed(
        FailureKind::Usage, "RUN-24",
        "a state that counts has no such value to begin a call with: a cache "
        "has no room for another one");
    failure.hint = "reset the states, or compile the model for more rows";
    return failure;
  }
  return failed(FailureKind::Internal, "RUN-8",
                "the program refused its pointers (status " +
                    std::to_string(code) + ")");
}

/// The system reads the file by its name, a second time after readArtifact.
/// A copy in memory of the bytes that were checked (memfd) would be read once,
/// but then every process has constants of its own, where the file's pages are
/// shared.
static Result<Program> openLibrary(const Artifact &artifact) {
  // A name without a slash would be searched for elsewhere.
  std::string path = std::filesystem::absolute(artifact.path).string();
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return failed(FailureKind::System, "RUN-5",
                  std::string("the system cannot load it: ") + dlerror());
  std::shared_ptr<void> code(handle, dlclose);
  const Interface &about = artifact.interface;
  auto find = [&](const char *name) {
    return dlsym(handle, (about.symbol + name).c_str());
  };
  Entries entries = {reinterpret_cast<RunFunction>(find("_run"))};
  if (!entries.run)
    return missing(about.symbol + "_run");
  if (about.threads == 1)
    return Program(about, entries, std::move(code));
  entries.runParallel =
      reinterpret_cast<RunParallelFunction>(find("_run_parallel"));
  if (!entries.runParallel)
    return missing(about.symbol + "_run_parallel");
  return Program(about, entries, std::move(code));
}

Result<Program> runtime::loadLibrary(const Artifact &artifact) {
  Status status = checkHost(artifact.interface);
  auto program = status ? openLibrary(artifact) : status.takeError();
  if (program)
    return program;
  tally::Diagnostic failure = program.takeError();
  failure.file = artifact.path;
  return failure;
}
