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

static llvm::Expected<ExecutorAddr>
linkObject(LLJIT &jit, std::string_view object, const std::string &entry) {
  if (llvm::Error error = defineLibc(jit))
    return error;
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(object.data(), object.size()), "program");
  if (llvm::Error error = jit.addObjectFile(std::move(buffer)))
    return error;
  return jit.lookup(entry);
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
  auto entry = linkObject(**jit, object, interface.symbol + "_run");
  (*jit)->getExecutionSession().setErrorReporter(llvm::consumeError);
  if (!entry) {
    tally::Diagnostic failure = refused(entry.takeError());
    failure.message += problems.empty() ? "" : " (" + problems + ")";
    return failure;
  }
  auto function = entry->toPtr<RunFunction>();
  return Program(std::move(interface), function,
                 std::shared_ptr<LLJIT>(std::move(*jit)));
}

Result<Program> runtime::loadProgram(const std::string &path) {
  auto artifact = readArtifact(path);
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
