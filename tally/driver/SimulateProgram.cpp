//===- SimulateProgram.cpp - tally run PROGRAM.elf ------------------------===//

#include "tally/driver/SimulateProgram.h"
#include "tally/driver/ProgramMachine.h"
#include "tally/driver/RunReport.h"
#include "tally/driver/SimulatedProgram.h"
#include "tally/driver/SimulatedSteps.h"
#include "tally/driver/tensors/OutputFiles.h"
#include "tally/emit/program/ProgramFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <fstream>

using namespace tally;
using simulator::Outcome;

bool tally::looksLikeProgram(const std::string &path) {
  if (!llvm::sys::fs::is_regular_file(path))
    return false;
  std::ifstream stream(path, std::ios::binary);
  std::vector<uint8_t> head(64);
  stream.read(reinterpret_cast<char *>(head.data()), 64);
  head.resize(size_t(stream.gcount()));
  return isa::beginsLikeProgram(head);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

using NamedOption = std::pair<option::Id, const char *>;

static constexpr NamedOption kProgramOptions[] = {
    {option::machine, "--machine"},       {option::trace, "--trace"},
    {option::trace_json, "--trace-json"}, {option::profile, "--profile"},
    {option::audit, "--audit"},           {option::perturb, "--perturb"},
    {option::scalar, "--scalar"}};

static constexpr NamedOption kModelOptions[] = {
    {option::dim, "--dim"},
    {option::shape, "--shape"},
    {option::inputs, "--inputs"},
    {option::outputs, "--outputs"},
    {option::numerics, "--numerics"},
    {option::target, "--target"},
    {option::tiers, "--tiers"},
    {option::emulate, "--emulate"},
    {option::threads, "--threads"},
    {option::budget, "--budget"},
    {option::max_table_bytes, "--max-table-bytes"},
    {option::table_budget, "--table-budget"},
    {option::max_state_copies, "--max-state-copies"},
    {option::state, "--state"},
    {option::keep_output, "--keep-output"},
    {option::reproducer, "--reproducer"},
    {option::compare_with, "--compare-with"},
    {option::all_nodes, "--all-nodes"}};

Status tally::refuseProgramOptions(const Arguments &arguments) {
  for (auto [id, name] : kProgramOptions)
    if (arguments.has(id))
      return usageError("CLI-3", std::string(name) +
                                     " belongs to programs for an accelerator");
  return Status::success();
}

Status tally::refuseModelOptionsForProgram(const Arguments &arguments,
                                           const std::string &path) {
  for (auto [id, name] : kModelOptions)
    if (arguments.has(id))
      return usageError("RUN-10",
                        "'" + path + "' is a program for an accelerator: " +
                            name + " belongs to models",
                        "leave it out");
  return Status::success();
}

/// One output takes one kind of trace, of one call.
static Status refuseTwoTraces(const Arguments &arguments) {
  for (auto [id, name] : {NamedOption(option::trace, "--trace"),
                          NamedOption(option::trace_json, "--trace-json")})
    if (arguments.has(id) && arguments.has(option::steps))
      return usageError("CLI-3",
                        std::string(name) + " shows one call, not --steps",
                        "leave one of them out");
  if (!arguments.has(option::trace))
    return Status::success();
  for (auto [id, name] : {NamedOption(option::trace_json, "--trace-json"),
                          NamedOption(option::json, "--json")})
    if (arguments.has(id))
      return usageError("CLI-3",
                        std::string(name) + " does not go with --trace, which "
                                            "prints text",
                        "write --trace-json FILE without --trace");
  return Status::success();
}

static void writeFaultReport(llvm::raw_ostream &stream,
                             const std::string &machine,
                             const Outcome &outcome) {
  llvm::json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("target", machine);
    os.attributeObject("fault", [&] { writeFault(os, *outcome.fault); });
    os.attributeObject("simulation",
                       [&] { writeCounters(os, outcome.counters); });
  });
  stream << "\n";
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {
/// One run of a program: its buffers, and what is reported.
class ProgramRun {
public:
  ProgramRun(const Arguments &arguments, std::string path)
      : arguments(arguments), path(std::move(path)) {}

  Result<int> run();

private:
  Status prepare();
  Status setScalars();
  Result<std::vector<eval::Tensor>>
  simulate(const std::vector<eval::Tensor> &inputs);
  Result<Outcome> simulateTraced(const std::vector<eval::Tensor> &inputs,
                                 simulator::RunOptions options);
  Status writeFiles();

  const Arguments &arguments;
  const std::string path;
  std::optional<SimulatedProgram> program;
  std::optional<int64_t> steps; ///< nothing: one, not counted
  RunReport report;
};
} // namespace

Status ProgramRun::prepare() {
  auto file = isa::readProgram(path);
  if (!file)
    return file.takeError();
  auto machine = machineFor(arguments, *file);
  if (!machine) {
    Diagnostic failure = machine.takeError();
    if (failure.file.empty())
      failure.file = path;
    return failure;
  }
  auto created =
      SimulatedProgram::create(std::move(*machine), std::move(*file));
  if (!created) {
    Diagnostic failure = created.takeError();
    failure.file = path;
    return failure;
  }
  program = std::move(*created);
  return setScalars();
}

Status ProgramRun::setScalars() {
  for (const std::string &argument : arguments.values(option::scalar)) {
    auto [name, text] = llvm::StringRef(argument).rsplit('=');
    int32_t value;
    if (text.getAsInteger(10, value) || !program->setScalar(name.str(), value))
      return usageError("RUN-12",
                        "'--scalar " + argument +
                            "' sets no run-time scalar of the program",
                        "write NAME=VALUE");
  }
  return Status::success();
}

Result<Outcome>
ProgramRun::simulateTraced(const std::vector<eval::Tensor> &inputs,
                           simulator::RunOptions options) {
  std::unique_ptr<simulator::TraceSink> trace;
  std::unique_ptr<llvm::raw_fd_ostream> file;
  if (arguments.has(option::trace_json)) {
    std::string name = arguments.value(option::trace_json);
    std::error_code error;
    file = std::make_unique<llvm::raw_fd_ostream>(name, error);
    if (error)
      return Diagnostic{
          FailureKind::System, error.message(), "FILE-OUT-1", name, "", ""};
    trace = simulator::jsonTrace(*file, program->machine());
  } else if (arguments.has(option::trace)) {
    trace = simulator::textTrace(llvm::outs(), program->machine());
  }
  options.trace = trace.get();
  return program->run(inputs, options);
}

Result<std::vector<eval::Tensor>>
ProgramRun::simulate(const std::vector<eval::Tensor> &inputs) {
  simulator::RunOptions options;
  options.audit = arguments.has(option::audit);
  auto seed = arguments.number(option::perturb);
  if (!seed)
    return seed.takeError();
  options.perturbation = *seed;
  auto outcome = simulateTraced(inputs, options);
  if (!outcome)
    return outcome.takeError();
  if (outcome->fault) {
    if (arguments.has(option::json))
      writeFaultReport(llvm::outs(), program->machine().name, *outcome);
    Diagnostic failure = outcome->fault->diagnostic();
    failure.file = path;
    return failure;
  }
  report.simulation = std::move(outcome->counters);
  report.byNode = arguments.has(option::profile);
  return program->results(report.outputs);
}

Status ProgramRun::writeFiles() {
  if (!arguments.has(option::output_dir))
    return Status::success();
  auto paths = writeOutputs(arguments.value(option::output_dir), report.outputs,
                            report.tensors);
  if (!paths)
    return paths.takeError();
  report.files = *paths;
  return Status::success();
}

Result<int> ProgramRun::run() {
  if (Status status = prepare(); !status)
    return status.takeError();
  SimulatedSteps steps(arguments, program->states());
  if (Status status = steps.prepare(); !status)
    return status.takeError();
  auto data = steps.readData(program->inputs());
  if (!data)
    return data.takeError();
  report.target = program->machine().name;
  report.outputs = program->outputs();
  // The counters are those of the last step.
  auto outputs = steps.run(program->inputs(), *data,
                           [&](const std::vector<eval::Tensor> &inputs) {
                             return simulate(inputs);
                           });
  if (!outputs)
    return outputs.takeError();
  for (size_t i = 0; i < outputs->size(); ++i)
    report.outputs[i].shape = (*outputs)[i].shape;
  report.tensors = std::move(*outputs);
  if (Status status = writeFiles(); !status)
    return status.takeError();
  if (Status status = steps.writeStateFile(); !status)
    return status.takeError();
  if (arguments.has(option::json))
    writeReport(llvm::outs(), report);
  else
    printReport(llvm::outs(), report);
  return 0;
}

Result<int> tally::runProgram(const Arguments &arguments) {
  std::string path = arguments.positional().front();
  if (Status status = refuseModelOptionsForProgram(arguments, path); !status)
    return status.takeError();
  if (Status status = refuseTwoTraces(arguments); !status)
    return status.takeError();
  return ProgramRun(arguments, path).run();
}
