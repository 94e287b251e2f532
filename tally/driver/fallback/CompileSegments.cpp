//===- CompileSegments.cpp - tally compile --fallback=cpu -----------------===//

#include "tally/driver/fallback/CompileSegments.h"
#include "tally/driver/NpuCompile.h"
#include "tally/driver/Reports.h"
#include "tally/driver/fallback/SegmentText.h"
#include "tally/driver/fallback/Segmenter.h"
#include "tally/driver/link/CHeader.h"
#include "tally/support/AtomicFile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

using namespace tally;
namespace fs = std::filesystem;

Status tally::checkFallback(const Arguments &arguments) {
  std::string fallback = arguments.value(option::fallback, "cpu");
  if (fallback == "cpu")
    return Status::success();
  return usageError("CLI-3", "there is no '" + fallback + "' to fall back to",
                    "write --fallback=cpu");
}

Status tally::refuseFallback(const Arguments &arguments) {
  if (!arguments.has(option::fallback))
    return Status::success();
  return usageError("CLI-3", "--fallback belongs to an accelerator",
                    "name one with --target");
}

static void report(const Arguments &arguments, const std::string &path,
                   size_t bytes, const machine::Machine &machine,
                   const runtime::SegmentFile &file) {
  if (!arguments.has(option::json)) {
    llvm::outs() << path << ": " << bytesText(static_cast<int64_t>(bytes))
                 << ", for " << machine.name << " and cpu\n";
    printSegments(llvm::outs(), file);
    return;
  }
  llvm::json::OStream os(llvm::outs(), 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("program", llvm::json::fixUTF8(path));
    os.attribute("bytes", static_cast<int64_t>(bytes));
    os.attribute("machine", machine.name);
    writeSegmentList(os, file);
  });
  llvm::outs() << "\n";
}

Status tally::explainSegments(mlir::ModuleOp module,
                              const machine::Machine &machine,
                              const std::string &model) {
  auto program = provenProgram(module, machine);
  if (program)
    return Status::success();
  if (!isRefusal(program.error()))
    return program.takeError();
  auto file = makeSegments(module, judgeOf(machine), model, "model");
  return file ? Status::success() : Status(file.takeError());
}

Result<int> tally::compileSegments(const Arguments &arguments,
                                   mlir::ModuleOp module,
                                   const machine::Machine &machine,
                                   const std::string &path) {
  fs::path output = path;
  if (!arguments.has(option::output))
    output.replace_extension(".a");
  auto file =
      makeSegments(module, judgeOf(machine), arguments.positional().front(),
                   cIdentifier(output.stem().string()));
  if (!file)
    return file.takeError();
  auto bytes = runtime::writeSegments(*file);
  if (!bytes)
    return bytes.takeError();
  if (Status status = writeFileAtomically(output.string(), *bytes); !status)
    return status.takeError();
  report(arguments, output.string(), bytes->size(), machine, *file);
  return 0;
}
