//===- CompileSegments.cpp - tally compile --fallback=cpu -----------------===//

#include "tally/driver/fallback/CompileSegments.h"
#include "tally/driver/ExplainStates.h"
#include "tally/driver/NpuExplain.h"
#include "tally/driver/Reports.h"
#include "tally/driver/fallback/SegmentText.h"
#include "tally/driver/fallback/Segmenter.h"
#include "tally/driver/link/CHeader.h"
#include "tally/support/AtomicFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

using namespace tally;
namespace fs = std::filesystem;

bool tally::isRefusal(const Diagnostic &failure) {
  return failure.kind == FailureKind::Unsupported;
}

mlir::OwningOpRef<mlir::ModuleOp> tally::sharedCopy(const NpuArguments &asked,
                                                    mlir::ModuleOp module) {
  return asked.fallsBack ? module.clone() : mlir::ModuleOp();
}

static void printReport(const Arguments &arguments, const std::string &path,
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

Status tally::explainSegments(const NpuArguments &asked, mlir::ModuleOp module,
                              const std::vector<std::string> &categories) {
  if (llvm::all_of(categories, [](const std::string &name) {
        return llvm::is_contained(kMachineSections, name);
      }))
    return usageError("CLI-3",
                      "'" + asked.machine.name +
                          "' runs the model in segments, and " +
                          llvm::join(llvm::ArrayRef(kMachineSections), ", ") +
                          " are told of one program",
                      "write --only place, or cut the graph with --inputs and "
                      "--outputs");
  auto file = makeSegments(module, judgeOf(asked), asked.model.path, "model");
  if (!file)
    return file.takeError();
  explainStates(module, file->states);
  return Status::success();
}

Result<int> tally::compileSegments(const Arguments &arguments,
                                   const NpuArguments &asked,
                                   PhaseRunner &phases, mlir::ModuleOp module,
                                   const std::string &path) {
  fs::path output = path;
  if (!arguments.has(option::output))
    output.replace_extension(".a");
  auto file = makeSegments(module, judgeOf(asked), asked.model.path,
                           cIdentifier(output.stem().string()));
  if (!file)
    return file.takeError();
  if (Status status = checkStateCopies(file->states, asked.maxStateCopies);
      !status)
    return status.takeError();
  phases.finish();
  if (phases.control.stopAfter)
    return 0;
  auto bytes = runtime::writeSegments(*file);
  if (!bytes)
    return bytes.takeError();
  if (Status status = writeFileAtomically(output.string(), *bytes); !status)
    return status.takeError();
  printReport(arguments, output.string(), bytes->size(), asked.machine, *file);
  return 0;
}
