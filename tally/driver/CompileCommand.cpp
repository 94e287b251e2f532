//===- CompileCommand.cpp - tally compile ---------------------------------===//

#include "tally/driver/Codegen.h"
#include "tally/driver/Commands.h"
#include "tally/driver/NpuCompile.h"
#include "tally/driver/Reports.h"
#include "tally/driver/Version.h"
#include "tally/driver/link/CHeader.h"
#include "tally/driver/link/SharedLibrary.h"
#include "tally/driver/link/StaticLibrary.h"
#include "tally/ops/State.h"
#include "tally/runtime/Artifact.h"
#include "tally/support/AtomicFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

using namespace tally;
using llvm::StringRef;
namespace fs = std::filesystem;

namespace {
enum class Emit { SharedLibrary, StaticLibrary, Object };

/// Where results go and what they are called.
struct OutputPlan {
  Emit emit = Emit::SharedLibrary;
  std::string path;   ///< of the artifact
  std::string header; ///< of the C header
  std::string symbol;
};
} // namespace

static Result<Emit> parseEmit(const std::string &kind) {
  if (kind == "so")
    return Emit::SharedLibrary;
  if (kind == "lib")
    return Emit::StaticLibrary;
  if (kind == "obj")
    return Emit::Object;
  return usageError("CLI-3", "--emit has no kind '" + kind + "'",
                    "kinds: so, lib, obj");
}

static const char *extension(Emit emit) {
  switch (emit) {
  case Emit::SharedLibrary:
    return ".so";
  case Emit::StaticLibrary:
    return ".a";
  case Emit::Object:
    return ".o";
  }
  return "";
}

/// "out/libnet.so" gives "net".
static std::string symbolFromPath(const std::string &path) {
  std::string stem = fs::path(path).stem().string();
  StringRef name = stem;
  if (name.size() > 3)
    name.consume_front("lib");
  return cIdentifier(name.str());
}

static bool isSameFile(const std::string &a, const std::string &b) {
  std::error_code missing;
  return fs::equivalent(a, b, missing);
}

static Result<OutputPlan> planOutput(const Arguments &arguments,
                                     const std::string &model) {
  OutputPlan plan;
  auto emit = parseEmit(arguments.value(option::emit, "so"));
  if (!emit)
    return emit.takeError();
  plan.emit = *emit;
  plan.path = arguments.value(option::output, fs::path(model).stem().string() +
                                                  extension(plan.emit));
  plan.header = fs::path(plan.path).replace_extension(".h").string();
  if (plan.header == plan.path)
    return usageError(
        "CLI-3", "-o '" + plan.path + "' is where the C header goes",
        "choose a name that ends in " + std::string(extension(plan.emit)));
  for (const std::string &path : {plan.path, plan.header})
    if (isSameFile(path, model))
      return usageError("CLI-3", "'" + path + "' is the model itself",
                        "choose another name with -o");
  plan.symbol = arguments.value(option::symbol, symbolFromPath(plan.path));
  if (cIdentifier(plan.symbol) != plan.symbol)
    return usageError("CLI-3",
                      "--symbol '" + plan.symbol + "' is no C identifier",
                      "try '" + cIdentifier(plan.symbol) + "'");
  return plan;
}

/// A folder that cannot be written is told before the work, not after.
static Status checkWritable(const OutputPlan &plan) {
  for (const std::string &path : {plan.path, plan.header}) {
    auto file = AtomicFile::create(path);
    if (!file)
      return file.takeError();
  }
  return Status::success();
}

static Result<std::vector<uint8_t>>
artifactBytes(const OutputPlan &plan, const cpu::CompiledObject &compiled) {
  switch (plan.emit) {
  case Emit::SharedLibrary:
    return linkSharedLibrary(compiled.object, plan.symbol,
                             fs::path(plan.path).filename().string());
  case Emit::StaticLibrary:
    return makeStaticLibrary(compiled.object, plan.symbol + ".o");
  case Emit::Object:
    break;
  }
  return std::vector<uint8_t>(compiled.object.begin(), compiled.object.end());
}

/// Both files or, as far as the system lets us, none.
static Status writeFiles(const OutputPlan &plan,
                         const std::vector<uint8_t> &artifact,
                         const std::string &header) {
  auto headerFile = AtomicFile::create(plan.header);
  if (!headerFile)
    return headerFile.takeError();
  auto file = AtomicFile::create(plan.path, plan.emit == Emit::SharedLibrary
                                                ? FileMode::Executable
                                                : FileMode::Data);
  if (!file)
    return file.takeError();
  if (Status status = headerFile->append(header); !status)
    return status;
  if (Status status = file->append(artifact); !status)
    return status;
  if (Status status = file->commit(); !status)
    return status;
  return headerFile->commit();
}

static void report(const Arguments &arguments, const OutputPlan &plan,
                   size_t bytes, const cpu::CompiledObject &compiled,
                   bool showsSchedules) {
  const runtime::Interface &interface = compiled.interface;
  if (!arguments.has(option::json)) {
    llvm::outs() << plan.path << ": " << bytes << " bytes; C header "
                 << plan.header << "\n";
    printMemory(llvm::outs(), interface);
    printStates(llvm::outs(), interface);
    if (showsSchedules)
      tune::printSchedules(llvm::outs(), tune::scheduleRows(compiled));
    return;
  }
  llvm::json::OStream os(llvm::outs(), 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("artifact", llvm::json::fixUTF8(plan.path));
    os.attribute("header", llvm::json::fixUTF8(plan.header));
    os.attribute("bytes", static_cast<int64_t>(bytes));
    os.attributeBegin("interface");
    os.rawValue(runtime::toJson(interface));
    os.attributeEnd();
    if (showsSchedules)
      tune::writeSchedules(os, tune::scheduleRows(compiled));
  });
  llvm::outs() << "\n";
}

static Status checkTarget(const Arguments &arguments) {
  std::string target = arguments.value(option::target, "cpu");
  if (target == "cpu")
    return Status::success();
  return usageError("CLI-3",
                    "there is no target '" + target + "' to compile for",
                    "targets: cpu, edge, tiny, wide, or a machine file "
                    "MACHINE.yaml");
}

/// Made-up data can be more than a graph takes, for example as indices: the
/// library then goes without a self-test, and says so.
static void addSelfTest(mlir::ModuleOp module, CompilerArguments &arguments) {
  if (auto slow = slowSelfTest(module))
    llvm::errs() << "note: " << *slow << "\n";
  auto expected = selfTestHashes(module, arguments.model);
  if (expected)
    arguments.selfTest = *expected;
  else
    llvm::errs() << "note: without a self-test: " << expected.error().str()
                 << "\n";
}

static Result<int> compile(const Arguments &arguments) {
  if (namesMachine(arguments.value(option::target)))
    return compileForMachine(arguments);
  if (Status status = checkTarget(arguments); !status)
    return status.takeError();
  for (auto [id, name] :
       {std::pair(option::choose, "--choose"),
        std::pair(option::fallback, "--fallback"),
        std::pair(option::sync_registers, "--sync-registers")})
    if (arguments.has(id))
      return usageError("CLI-3",
                        std::string(name) +
                            " belongs to programs for an accelerator",
                        "name the machine with --target");
  auto parsed = parseCompilerArguments(arguments);
  if (!parsed)
    return parsed.takeError();
  auto &[model, control, options, fusion, copies, tune, selfTest] = *parsed;
  if (runtime::looksLikeArtifact(model.path))
    return usageError("RUN-10", "'" + model.path + "' is compiled already",
                      "name the model instead");
  auto plan = planOutput(arguments, model.path);
  if (!plan)
    return plan.takeError();
  options.symbol = plan->symbol;
  PhaseRunner phases(control);
  if (!control.stopAfter)
    if (Status status = checkWritable(*plan); !status)
      return status.takeError();
  mlir::MLIRContext context;
  auto module = phases.import(context, model);
  if (!module)
    return module.takeError();
  if (!arguments.has(option::no_self_test) && !control.stopAfter)
    addSelfTest(**module, *parsed);
  auto compiled = generateCode(phases, **module, *parsed);
  if (!compiled)
    return compiled.takeError();
  phases.finish();
  if (control.stopAfter)
    return 0;
  auto artifact = artifactBytes(*plan, *compiled);
  if (!artifact)
    return artifact.takeError();
  if (Status status =
          writeFiles(*plan, *artifact, cHeader(compiled->interface));
      !status)
    return status.takeError();
  report(arguments, *plan, artifact->size(), *compiled, !tune.cache.empty());
  return 0;
}

const CommandSpec tally::kCompileCommand = {
    "compile",
    option::InCompile,
    " MODEL.onnx [OPTIONS]",
    "Compile a model to a native library with a C header, or to a program for "
    "an "
    "accelerator",
    R"(
EXAMPLES:
  tally compile net.onnx --dim N=1 -o net.so
      net.so and net.h; the library exports net_run
  tally compile net.onnx --emit=obj --static-arena --tiers x86-64 -o net.o
      one object for a program without heap or loader
  tally compile net.onnx --budget 256K
      refused, with the tensors alive at the peak, if 256 KiB do not do
  tally compile net.onnx --target edge --budget 4M
      a program for an accelerator, in 4 MiB of global memory or not at all
  tally compile net.onnx --stop-after quantize --dump-after quantize=net.mlir
      the graph with its integer operators; net.mlir is a model, too
)",
    1,
    compile};
