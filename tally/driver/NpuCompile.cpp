//===- NpuCompile.cpp - tally compile for an accelerator ------------------===//

#include "tally/driver/NpuCompile.h"
#include "tally/driver/ExplainStates.h"
#include "tally/driver/NpuExplain.h"
#include "tally/driver/NpuRecords.h"
#include "tally/driver/Reports.h"
#include "tally/driver/SimulatedStates.h"
#include "tally/driver/fallback/CompileSegments.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/support/AtomicFile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

using namespace tally;
namespace fs = std::filesystem;

Result<isa::Program> tally::makeProgram(mlir::ModuleOp module,
                                        const machine::Machine &machine) {
  NpuArguments asked;
  asked.machine = machine;
  asked.search.compared = 1;
  asked.search.findRemedies = false;
  PhaseRunner phases{PhaseControl()};
  auto plan = planForMachine(phases, module, asked, false);
  if (!plan)
    return plan.takeError();
  return lowerForMachine(phases, module, asked, *plan);
}

Result<isa::Program> tally::provenProgram(mlir::ModuleOp module,
                                          const machine::Machine &machine) {
  auto program = makeProgram(module, machine);
  if (!program)
    return program;
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

static void printReport(const Arguments &arguments, const std::string &path,
                        const isa::Program &program,
                        const report::GlobalAccount &global) {
  runtime::Interface states = statesOf(program);
  if (!arguments.has(option::json)) {
    llvm::outs() << path << ": " << program.text.size()
                 << " instructions, constants " << program.constants.size()
                 << " bytes, for " << program.requirements.machine << "\n";
    report::printGlobal(llvm::outs(), global);
    printStates(llvm::outs(), states);
    return;
  }
  llvm::json::OStream os(llvm::outs(), 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("program", llvm::json::fixUTF8(path));
    os.attribute("instructions", int64_t(program.text.size()));
    os.attribute("constants", int64_t(program.constants.size()));
    os.attribute("machine", program.requirements.machine);
    report::writeGlobal(os, global);
    writeStates(os, states);
  });
  llvm::outs() << "\n";
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

/// The options that decide what a program is.
static std::string optionsText(const Arguments &arguments) {
  std::string text;
  for (auto [id, name] : {std::pair(option::target, "--target"),
                          std::pair(option::budget, "--budget"),
                          std::pair(option::choose, "--choose"),
                          std::pair(option::sync_registers, "--sync-registers"),
                          std::pair(option::fallback, "--fallback")})
    for (const std::string &value : arguments.values(id))
      text += std::string(" ") + name + " " + value;
  return text;
}

/// Everything behind the rewrites. `shared` is what is cut into segments.
static Result<int> finish(const Arguments &arguments, const NpuArguments &asked,
                          PhaseRunner &phases, mlir::ModuleOp module,
                          mlir::ModuleOp shared, const std::string &path) {
  schedule::Refusal refusal;
  auto plan = planForMachine(phases, module, asked, false, &refusal);
  if (!plan && asked.fallsBack && isRefusal(plan.error()))
    return compileSegments(arguments, asked, phases, shared, path);
  if (!plan)
    return reportRefusal(arguments, asked, plan.takeError(), refusal);
  if (!phases.control.reaches(Phase::Lower)) {
    phases.finish();
    return 0;
  }
  auto program = lowerForMachine(phases, module, asked, *plan);
  if (!program) {
    Diagnostic failure = program.takeError();
    failure.file = asked.model.path;
    return failure;
  }
  if (Status status =
          checkStateCopies(statesOf(*program), asked.maxStateCopies);
      !status) {
    Diagnostic failure = status.takeError();
    failure.file = asked.model.path;
    return failure;
  }
  Evidence evidence{path, optionsText(arguments), [&] {
                      plan->program.erase();
                      return moduleText(module);
                    }};
  if (Status status = prove(*program, asked.machine, evidence); !status)
    return status.takeError();
  phases.finish();
  if (phases.control.stopAfter)
    return 0;
  if (Status status = write(path, *program); !status)
    return status.takeError();
  printReport(arguments, path, *program,
              globalOf(plan->memory, asked.machine, asked.search.budget));
  return 0;
}

Result<int> tally::compileForMachine(const Arguments &arguments) {
  auto asked = parseNpuArguments(arguments);
  if (!asked)
    return asked.takeError();
  auto control = parsePhaseControl(arguments);
  if (!control)
    return control.takeError();
  auto path = outputPath(arguments, asked->model);
  if (!path)
    return path.takeError();
  mlir::MLIRContext context;
  PhaseRunner phases(*control);
  auto module = importForMachine(phases, context, asked->model);
  if (!module)
    return module.takeError();
  auto shared = sharedCopy(*asked, **module);
  if (Status status = placeStatesForMachine(phases, **module, asked->machine);
      !status)
    return status.takeError();
  if (control->reaches(Phase::Schedule))
    return finish(arguments, *asked, phases, **module, *shared, *path);
  phases.finish();
  return 0;
}
