//===- Program.cpp - a compiled model in this process ---------------------===//

#include "tally/runtime/Program.h"
#include "tally/support/Failed.h"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>

using namespace tally;
using namespace tally::runtime;

/// What SYMBOL_run returns before it has written anything.
static constexpr int32_t kNumberOutOfRange = 4;

static tally::Diagnostic missing(const std::string &symbol) {
  return failed(FailureKind::Model, "RUN-6",
                "the library does not export " + symbol);
}

Status Program::verify() const {
  return constants ? constants->run() : Status::success();
}

Status Program::run(const void *const *inputs, void *const *outputs,
                    void *arena, ParallelFor parallelFor, void *user) const {
  if (Status status = verify(); !status)
    return status;
  int32_t code = parallelFor ? entries.runParallel(inputs, outputs, arena,
                                                   parallelFor, user)
                             : entries.run(inputs, outputs, arena);
  if (code == 0)
    return Status::success();
  if (code == kNumberOutOfRange)
    return failed(
        FailureKind::Usage, "RUN-24",
        "a state that counts has no such value to begin a call with: a cache "
        "has no room for another one",
        "reset the states, or compile the model for more rows");
  return failed(FailureKind::Internal, "RUN-8",
                "the program refused its pointers (status " +
                    std::to_string(code) + ")");
}

static tally::Diagnostic notLoaded() {
  return failed(FailureKind::System, "RUN-5",
                std::string("the system cannot load it: ") + dlerror());
}

/// Of constants in the memory where the library's code reads them.
static Result<std::shared_ptr<ConstantsCheck>> checkOf(const Artifact &artifact,
                                                       void *handle) {
  if (!artifact.constants)
    return std::shared_ptr<ConstantsCheck>();
  link_map *loaded = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void *>(&loaded)) != 0)
    return notLoaded();
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the system's type
  auto *base = reinterpret_cast<const uint8_t *>(loaded->l_addr);
  return std::make_shared<ConstantsCheck>(*artifact.constants, base,
                                          artifact.path);
}

static Result<Entries> findEntries(void *handle, const Interface &about) {
  auto find = [&](const char *name) {
    return dlsym(handle, (about.symbol + name).c_str());
  };
  Entries entries = {reinterpret_cast<RunFunction>(find("_run"))};
  if (!entries.run)
    return missing(about.symbol + "_run");
  if (about.threads == 1)
    return entries;
  entries.runParallel =
      reinterpret_cast<RunParallelFunction>(find("_run_parallel"));
  if (!entries.runParallel)
    return missing(about.symbol + "_run_parallel");
  return entries;
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
    return notLoaded();
  std::shared_ptr<void> code(handle, dlclose);
  auto entries = findEntries(handle, artifact.interface);
  if (!entries)
    return entries.takeError();
  auto check = checkOf(artifact, handle);
  if (!check)
    return check.takeError();
  return Program(artifact.interface, *entries, std::move(code),
                 std::move(*check));
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
