//===- JitProgram.cpp - an object in memory becomes a program -------------===//

#include "tally/runtime/JitProgram.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"

#include <cstring>

using namespace tally;
using namespace tally::runtime;
using namespace llvm::orc;

/// The only names an object may leave undefined.
static llvm::Error defineLibc(LLJIT &jit) {
  SymbolMap symbols;
  auto define = [&](const char *name, auto *function) {
    symbols[jit.mangleAndIntern(name)] = {ExecutorAddr::fromPtr(function),
                                          llvm::JITSymbolFlags::Exported |
                                              llvm::JITSymbolFlags::Callable};
  };
  define("memcpy", &std::memcpy);
  define("memmove", &std::memmove);
  define("memset", &std::memset);
  return jit.getMainJITDylib().define(absoluteSymbols(std::move(symbols)));
}

static llvm::Expected<Entries> linkObject(LLJIT &jit, std::string_view object,
                                          const Interface &interface) {
  if (llvm::Error error = defineLibc(jit))
    return error;
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(object.data(), object.size()), "program");
  if (llvm::Error error = jit.addObjectFile(std::move(buffer)))
    return error;
  auto run = jit.lookup(interface.symbol + "_run");
  if (!run)
    return run.takeError();
  Entries entries = {run->toPtr<RunFunction>()};
  if (interface.threads == 1)
    return entries;
  auto parallel = jit.lookup(interface.symbol + "_run_parallel");
  if (!parallel)
    return parallel.takeError();
  entries.runParallel = parallel->toPtr<RunParallelFunction>();
  return entries;
}

Result<Program> runtime::jitProgram(std::string_view object,
                                    Interface interface) {
  if (Status status = checkHost(interface); !status)
    return status.takeError();
  llvm::InitializeNativeTarget();
  auto refused = [](llvm::Error error) {
    tally::Diagnostic failure;
    failure.kind = FailureKind::Model;
    failure.rule = "RUN-5";
    failure.message =
        "the object cannot be linked: " + llvm::toString(std::move(error));
    return failure;
  };
  LLJITBuilder builder;
  // What the linker finds is returned, not printed.
  builder.setPlatformSetUp(setUpInactivePlatform);
  auto jit = builder.create();
  if (!jit)
    return refused(jit.takeError());
  std::string problems;
  (*jit)->getExecutionSession().setErrorReporter([&](llvm::Error error) {
    problems += llvm::toString(std::move(error)) + " ";
  });
  auto entries = linkObject(**jit, object, interface);
  (*jit)->getExecutionSession().setErrorReporter(llvm::consumeError);
  if (!entries) {
    tally::Diagnostic failure = refused(entries.takeError());
    failure.message += problems.empty() ? "" : " (" + problems + ")";
    return failure;
  }
  return Program(std::move(interface), *entries,
                 std::shared_ptr<LLJIT>(std::move(*jit)));
}

Result<Program> runtime::loadProgram(const std::string &path) {
  auto artifact = readArtifact(path, Check::AllButConstants);
  if (!artifact)
    return artifact.takeError();
  if (artifact->form == ArtifactForm::SharedLibrary)
    return loadLibrary(*artifact);
  auto elf = artifact->elf();
  auto program =
      jitProgram({reinterpret_cast<const char *>(elf.data()), elf.size()},
                 artifact->interface);
  if (program)
    return program;
  tally::Diagnostic failure = program.takeError();
  failure.file = path;
  return failure;
}
