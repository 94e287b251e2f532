//===- Phases.cpp - the way from a model to code, step by step ------------===//

#include "tally/driver/Phases.h"
#include "tally/driver/NpuArguments.h"
#include "tally/driver/StateArguments.h"
#include "tally/graph/import/Importer.h"
#include "tally/model/OnnxReader.h"
#include "tally/ops/Ops.h"
#include "tally/rewrite/layout/Layout.h"
#include "tally/rewrite/quantize/Quantize.h"
#include "tally/rewrite/state/Tabulate.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <filesystem>

using namespace mlir;
using namespace tally;

static constexpr Phase kPhases[] = {
    Phase::Import, Phase::Quantize, Phase::Layout,   Phase::Fusion,
    Phase::State,  Phase::Codegen,  Phase::Schedule, Phase::Order,
    Phase::Memory, Phase::Sync,     Phase::Lower};

static bool isPhaseOf(Phase phase, bool isForMachine) {
  return phase < Phase::State || (phase > Phase::Codegen) == isForMachine;
}

const char *tally::phaseName(Phase phase) {
  switch (phase) {
  case Phase::Import:
    return "import";
  case Phase::Quantize:
    return "quantize";
  case Phase::Layout:
    return "layout";
  case Phase::Fusion:
    return "fusion";
  case Phase::State:
    return "state";
  case Phase::Codegen:
    return "codegen";
  case Phase::Schedule:
    return "schedule";
  case Phase::Order:
    return "order";
  case Phase::Memory:
    return "memory";
  case Phase::Sync:
    return "sync";
  case Phase::Lower:
    return "lower";
  }
  return "";
}

static Result<Phase> phaseNamed(const std::string &name, bool isForMachine) {
  std::vector<std::string> names;
  for (Phase phase : kPhases) {
    if (!isPhaseOf(phase, isForMachine))
      continue;
    if (name == phaseName(phase))
      return phase;
    names.emplace_back(phaseName(phase));
  }
  return usageError("PHASE-1", "there is no phase '" + name + "'",
                    "phases: " + llvm::join(names, ", "));
}

bool PhaseControl::dumpsAfter(Phase phase) const {
  return llvm::any_of(dumps,
                      [&](const auto &dump) { return dump.first == phase; });
}

Result<PhaseControl> tally::parsePhaseControl(const Arguments &arguments) {
  PhaseControl control;
  bool isForMachine = namesMachine(arguments.value(option::target));
  control.reproducer = arguments.value(option::reproducer);
  if (arguments.has(option::stop_after)) {
    auto phase = phaseNamed(arguments.value(option::stop_after), isForMachine);
    if (!phase)
      return phase.takeError();
    control.stopAfter = *phase;
  }
  for (const std::string &text : arguments.values(option::dump_after)) {
    auto [name, file] = StringRef(text).split('=');
    auto phase = phaseNamed(name.str(), isForMachine);
    if (!phase)
      return phase.takeError();
    control.dumps.emplace_back(*phase, file.str());
  }
  return control;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Collects what MLIR reports while it lives.
class Messages {
public:
  explicit Messages(MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &message) {
          if (message.getSeverity() == DiagnosticSeverity::Error)
            text += (text.empty() ? "" : "; ") + message.str();
          return success();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

func::FuncOp tally::mainFunction(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

static tally::Diagnostic fileError(FailureKind kind, std::string rule,
                                   const std::string &file,
                                   std::string message) {
  tally::Diagnostic failure;
  failure.kind = kind;
  failure.rule = std::move(rule);
  failure.file = file;
  failure.message = std::move(message);
  return failure;
}

static Result<OwningOpRef<ModuleOp>> readModule(MLIRContext &context,
                                                const std::string &path) {
  context.loadDialect<nn::NnDialect, func::FuncDialect>();
  auto bytes = readFile(path);
  if (!bytes)
    return bytes.takeError();
  Messages messages(&context);
  auto module = parseSourceString<ModuleOp>(
      StringRef(reinterpret_cast<const char *>(bytes->data()), bytes->size()),
      &context);
  if (!module)
    return fileError(FailureKind::Model, "PHASE-2", path, messages.text);
  func::FuncOp function = mainFunction(*module);
  if (!function || function.isExternal())
    return fileError(FailureKind::Model, "PHASE-2", path,
                     "the module has no function main");
  if (Status status = rewrite::verifyFused(*module); !status) {
    tally::Diagnostic failure =
        fileError(FailureKind::Model, "PHASE-2", path, status.error().message);
    failure.node = status.error().node;
    return failure;
  }
  return module;
}

nn::ImportOptions tally::importOptions(const ModelArguments &arguments) {
  nn::ImportOptions options;
  options.file = arguments.path;
  options.dims = arguments.dims;
  options.shapes = arguments.shapes;
  options.bindings = arguments.bindings;
  options.inputs = arguments.inputs;
  options.outputs = arguments.outputs;
  return options;
}

static Result<OwningOpRef<ModuleOp>>
importOnnx(MLIRContext &context, const ModelArguments &arguments) {
  auto model = model::readOnnxFile(arguments.path);
  if (!model)
    return model.takeError();
  return nn::importModel(context, *model, importOptions(arguments));
}

static Result<OwningOpRef<ModuleOp>> readModule(MLIRContext &context,
                                                const ModelArguments &model) {
  bool isAsStated = model.dims.empty() && model.shapes.empty() &&
                    model.bindings.empty() && model.inputs.empty() &&
                    model.outputs.empty();
  if (isAsStated)
    return readModule(context, model.path);
  return usageError(
      "PHASE-4",
      "--dim, --shape, --bind, --inputs and --outputs do nothing to "
      "the module '" +
          model.path + "'",
      "give them where it is made from the .onnx file");
}

Result<OwningOpRef<ModuleOp>> PhaseRunner::import(MLIRContext &context,
                                                  const ModelArguments &model) {
  auto module = StringRef(model.path).ends_with(".mlir")
                    ? readModule(context, model)
                    : importOnnx(context, model);
  if (!module)
    return module;
  auto again = [&](const ModelArguments &arguments) {
    return importOnnx(context, arguments);
  };
  auto declare = [&] { return declareStates(**module, model, again); };
  if (Status status = run(Phase::Import, **module, declare); !status)
    return status.takeError();
  return module;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

std::string tally::moduleText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  module->print(os, flags);
  os << "\n";
  return text;
}

Status PhaseRunner::keepReproducer(Phase phase, ModuleOp module) const {
  // The import begins with the model itself, and what has commands of a machine
  // is no model any more.
  if (control.reproducer.empty() || phase == Phase::Import ||
      phase > Phase::Schedule)
    return Status::success();
  return writeFileAtomically(control.reproducer,
                             "// The phase '" + std::string(phaseName(phase)) +
                                 "' began with this module.\n" +
                                 moduleText(module));
}

Status PhaseRunner::dump(Phase phase, std::string_view bytes) const {
  for (const auto &[wanted, file] : control.dumps) {
    if (wanted != phase)
      continue;
    if (file.empty()) {
      llvm::outs() << StringRef(bytes.data(), bytes.size());
      llvm::outs().flush();
    } else if (Status status = writeFileAtomically(file, bytes); !status) {
      return status;
    }
  }
  return Status::success();
}

Status PhaseRunner::dumpModule(Phase phase, ModuleOp module) const {
  if (phase == Phase::Codegen || phase == Phase::Lower) // no module
    return Status::success();
  return control.dumpsAfter(phase) ? dump(phase, moduleText(module))
                                   : Status::success();
}

Status PhaseRunner::run(Phase phase, ModuleOp module,
                        const std::function<Status()> &body) {
  if (Status status = keepReproducer(phase, module); !status)
    return status;
  Messages messages(module.getContext());
  if (Status status = body(); !status)
    return status;
  if (failed(verify(module))) {
    tally::Diagnostic failure;
    failure.kind = FailureKind::Internal;
    failure.rule = "PHASE-3";
    failure.message = std::string("phase '") + phaseName(phase) +
                      "' left an invalid module: " + messages.text;
    return failure;
  }
  if (Status status = rewrite::verifyFused(module); !status)
    return status;
  return dumpModule(phase, module);
}

void PhaseRunner::finish() const {
  std::error_code ignored;
  if (!control.reproducer.empty())
    std::filesystem::remove(control.reproducer, ignored);
}

namespace {
struct Rewrite {
  Phase phase;
  void (*apply)(ModuleOp);
};
} // namespace

static constexpr Rewrite kRewrites[] = {
    {Phase::Quantize, rewrite::quantize},
    {Phase::Layout, rewrite::layout},
};

Status PhaseRunner::rewrite(ModuleOp module) {
  for (const Rewrite &rewrite : kRewrites) {
    if (!control.reaches(rewrite.phase))
      break;
    Status status = run(rewrite.phase, module, [&] {
      rewrite.apply(module);
      return Status::success();
    });
    if (!status)
      return status;
  }
  return Status::success();
}

Status PhaseRunner::placeStates(ModuleOp module,
                                const rewrite::PlaceOptions &options) {
  if (!control.reaches(Phase::State))
    return Status::success();
  return run(Phase::State, module, [&] {
    rewrite::placeStates(module, options);
    if (options.counters)
      rewrite::tabulateCounters(module);
    return Status::success();
  });
}

Status PhaseRunner::fuse(ModuleOp module,
                         const rewrite::FusionOptions &options) {
  if (!control.reaches(Phase::Fusion))
    return Status::success();
  return run(Phase::Fusion, module, [&] {
    rewrite::fuse(module, options);
    return Status::success();
  });
}
