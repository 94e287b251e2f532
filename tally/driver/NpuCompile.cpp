//===- NpuCompile.cpp - tally compile for an accelerator ------------------===//

#include "tally/driver/NpuCompile.h"
#include "tally/driver/Commands.h"
#include "tally/driver/Phases.h"
#include "tally/driver/Version.h"
#include "tally/driver/fallback/CompileSegments.h"
#include "tally/driver/fallback/Segmenter.h"
#include "tally/emit/lower/Lower.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/machine/ShippedMachines.h"
#include "tally/run/checker/Checker.h"
#include "tally/run/checker/Report.h"
#include "tally/schedule/Plans.h"
#include "tally/schedule/Schedule.h"
#include "tally/support/AtomicFile.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

using namespace tally;
namespace fs = std::filesystem;

bool tally::namesMachine(const std::string &target) {
  return llvm::StringRef(target).ends_with(".yaml") ||
         llvm::any_of(machine::shippedMachines(), [&](const auto &shipped) {
           return shipped.name == target;
         });
}

rewrite::FusionOptions tally::npuFusion() {
  rewrite::FusionOptions options;
  options.target.lacksAnchor = [](mlir::Operation *anchor) {
    return schedule::lacksInChain(anchor, nullptr);
  };
  options.target.lacksStage = [](mlir::Operation *stage,
                                 mlir::Operation *anchor) {
    return schedule::lacksInChain(anchor, stage);
  };
  return options;
}

Result<isa::Program> tally::makeProgram(mlir::ModuleOp module,
                                        const machine::Machine &machine) {
  auto choices = schedule::Choices::standard(machine);
  auto program = schedule::schedule(module, machine, choices);
  if (!program)
    return program.takeError();
  schedule::orderCommands(*program, machine, choices);
  if (Status status = schedule::planMemory(*program, machine); !status)
    return status.takeError();
  if (Status status = schedule::planSync(*program, machine); !status)
    return status.takeError();
  if (mlir::failed(mlir::verify(*program)))
    return Diagnostic{.kind = FailureKind::Internal,
                      .message = "the schedule left an invalid program",
                      .rule = "PHASE-3"};
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  return emit::lowerProgram(*program, function, machine);
}

Status tally::prove(const isa::Program &program,
                    const machine::Machine &machine) {
  auto subject = checker::subjectOf(program, machine);
  if (!subject)
    return subject.takeError();
  auto verdict = checker::check(*subject);
  if (!verdict)
    return verdict.takeError();
  if (verdict->isAccepted)
    return Status::success();
  std::string text;
  llvm::raw_string_ostream os(text);
  checker::printVerdict(os, "the program", *verdict);
  Diagnostic failure;
  failure.kind = FailureKind::Internal;
  failure.rule = "NPU-11";
  failure.message = "the checker rejects the program that was made:\n" + text;
  return failure;
}

Result<isa::Program> tally::provenProgram(mlir::ModuleOp module,
                                          const machine::Machine &machine) {
  auto program = makeProgram(module, machine);
  if (!program)
    return program;
  program->producer = kProducer;
  if (Status status = prove(*program, machine); !status)
    return status.takeError();
  return program;
}

static Status write(const std::string &path, const isa::Program &program) {
  auto file = AtomicFile::create(path, FileMode::Executable);
  if (!file)
    return file.takeError();
  if (Status status = file->append(isa::writeProgram(program)); !status)
    return status;
  return file->commit();
}

static void report(const Arguments &arguments, const std::string &path,
                   const isa::Program &program) {
  if (!arguments.has(option::json)) {
    llvm::outs() << path << ": " << program.text.size()
                 << " instructions, constants " << program.constants.size()
                 << " bytes, for " << program.requirements.machine << "\n";
    return;
  }
  llvm::json::OStream os(llvm::outs(), 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("program", llvm::json::fixUTF8(path));
    os.attribute("instructions", int64_t(program.text.size()));
    os.attribute("constants", int64_t(program.constants.size()));
    os.attribute("machine", program.requirements.machine);
  });
  llvm::outs() << "\n";
}

/// CLI-3 for options that only libraries have; NPU-12 (Unsupported) for a
/// profile that the machine's units do not follow.
static Status checkOptions(const Arguments &arguments,
                           const ModelArguments &model) {
  static constexpr std::pair<option::Id, const char *> libraryOptions[] = {
      {option::emit, "--emit"},
      {option::symbol, "--symbol"},
      {option::static_arena, "--static-arena"},
      {option::no_self_test, "--no-self-test"},
      {option::tiers, "--tiers"},
      {option::budget, "--budget"},
      {option::max_table_bytes, "--max-table-bytes"},
      {option::table_budget, "--table-budget"}};
  for (auto [id, name] : libraryOptions)
    if (arguments.has(id))
      return usageError("CLI-3",
                        std::string(name) +
                            " means nothing for an accelerator's program",
                        "leave it out, or compile for the CPU");
  if (Status status = checkFallback(arguments); !status)
    return status;
  if (model.numerics == eval::Profile::Ideal)
    return Status::success();
  Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "NPU-12";
  failure.message = std::string("accelerators compute under --numerics=ideal, "
                                "not ") +
                    profileName(model.numerics);
  failure.hint = "leave --numerics out, or compile for the CPU";
  return failure;
}

/// Where the program goes: not over what it is made from (CLI-3), and into a
/// folder that can be written.
static Result<std::string> outputPath(const Arguments &arguments,
                                      const ModelArguments &model) {
  std::string path = arguments.value(
      option::output, fs::path(model.path).stem().string() + ".elf");
  std::error_code missing;
  for (const std::string &source :
       {model.path, arguments.value(option::target)})
    if (fs::equivalent(path, source, missing))
      return usageError("CLI-3",
                        "'" + path + "' is what the program is made from",
                        "choose another name with -o");
  if (arguments.has(option::stop_after))
    return path;
  auto file = AtomicFile::create(path);
  if (!file)
    return file.takeError();
  return path;
}

Result<int> tally::compileForMachine(const Arguments &arguments) {
  auto machine = machine::findMachine(arguments.value(option::target));
  if (!machine)
    return machine.takeError();
  auto model = parseModelArguments(arguments);
  if (!model)
    return model.takeError();
  if (Status status = checkOptions(arguments, *model); !status)
    return status.takeError();
  auto control = parsePhaseControl(arguments);
  if (!control)
    return control.takeError();
  auto path = outputPath(arguments, *model);
  if (!path)
    return path.takeError();
  mlir::MLIRContext context;
  PhaseRunner phases(*control);
  auto module = phases.import(context, *model);
  if (!module)
    return module.takeError();
  if (Status status = phases.rewrite(**module); !status)
    return status.takeError();
  if (Status status = phases.fuse(**module, npuFusion()); !status)
    return status.takeError();
  phases.finish();
  if (control->stopAfter)
    return 0;
  auto program = provenProgram(**module, *machine);
  if (!program) {
    if (arguments.has(option::fallback) && isRefusal(program.error()))
      return compileSegments(arguments, **module, *machine, *path);
    Diagnostic failure = program.takeError();
    failure.file = model->path;
    return failure;
  }
  if (Status status = write(*path, *program); !status)
    return status.takeError();
  report(arguments, *path, *program);
  return 0;
}
