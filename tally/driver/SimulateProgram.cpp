//===- SimulateProgram.cpp - tally run PROGRAM.elf ------------------------===//

#include "tally/driver/SimulateProgram.h"
#include "tally/driver/ProgramMachine.h"
#include "tally/driver/RunReport.h"
#include "tally/driver/tensors/InputFiles.h"
#include "tally/driver/tensors/OutputFiles.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/run/simulator/Simulator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

using namespace tally;
using simulator::Binding;
using simulator::Outcome;
using simulator::Region;
using simulator::Role;
using simulator::Simulator;

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
    {option::budget, "--budget"},
    {option::max_table_bytes, "--max-table-bytes"},
    {option::table_budget, "--table-budget"},
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

static Status refuseModelOptions(const Arguments &arguments,
                                 const std::string &path) {
  for (auto [id, name] : kModelOptions)
    if (arguments.has(id))
      return usageError("RUN-10",
                        "'" + path + "' is a program for an accelerator: " +
                            name + " belongs to models",
                        "leave it out");
  return Status::success();
}

/// One output takes one kind of trace.
static Status refuseTwoTraces(const Arguments &arguments) {
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
// Buffers and tensors
//===----------------------------------------------------------------------===//

static eval::Element elementOf(machine::ElementType type) {
  constexpr eval::Element elements[] = {eval::Element::I8,  eval::Element::U8,
                                        eval::Element::I16, eval::Element::U16,
                                        eval::Element::I32, eval::Element::I64,
                                        eval::Element::F16, eval::Element::F32};
  return elements[size_t(type)];
}

static runtime::TensorInterface interfaceOf(const isa::Buffer &buffer) {
  runtime::TensorInterface tensor;
  tensor.name = buffer.name;
  tensor.element = elementOf(buffer.type);
  tensor.shape = buffer.shape;
  if (tensor.shape.empty() &&
      buffer.bytes != machine::elementBytes(buffer.type))
    tensor.shape = {buffer.bytes / machine::elementBytes(buffer.type)};
  if (buffer.scale != 0)
    tensor.quant = eval::Quantization{eval::minValue(tensor.element),
                                      eval::maxValue(tensor.element),
                                      {float(buffer.scale)},
                                      {buffer.zero},
                                      -1};
  return tensor;
}

static std::vector<runtime::TensorInterface>
interfacesOf(const isa::Program &program, isa::BufferUse use) {
  std::vector<runtime::TensorInterface> tensors;
  for (const isa::Buffer &buffer : program.buffers)
    if (buffer.use == use)
      tensors.push_back(interfaceOf(buffer));
  return tensors;
}

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
  Status bind(const std::vector<eval::Tensor> &inputs);
  Status simulate();
  Result<Outcome> simulateTraced(simulator::RunOptions options);
  Status writeFiles();
  std::vector<eval::Tensor> takeOutputs();

  const Arguments &arguments;
  const std::string path;
  std::unique_ptr<Simulator> simulator;
  std::vector<uint8_t> context;
  std::map<int64_t, std::vector<uint8_t>> buffers; ///< by region
  std::vector<Binding> bindings;
  RunReport report;
};
} // namespace

Status ProgramRun::prepare() {
  auto program = isa::readProgram(path);
  if (!program)
    return program.takeError();
  auto machine = machineFor(arguments, *program);
  if (!machine) {
    Diagnostic failure = machine.takeError();
    if (failure.file.empty())
      failure.file = path;
    return failure;
  }
  auto created = Simulator::create(std::move(*machine), std::move(*program));
  if (!created) {
    Diagnostic failure = created.takeError();
    failure.file = path;
    return failure;
  }
  simulator = std::move(*created);
  context = simulator->program().context;
  return setScalars();
}

Status ProgramRun::setScalars() {
  for (const std::string &argument : arguments.values(option::scalar)) {
    auto [name, text] = llvm::StringRef(argument).rsplit('=');
    int32_t value;
    auto &scalars = simulator->program().scalars;
    auto found =
        std::ranges::find(scalars, name.str(), &isa::RuntimeScalar::name);
    if (text.getAsInteger(10, value) || found == scalars.end())
      return usageError("RUN-12",
                        "'--scalar " + argument +
                            "' sets no run-time scalar of the program",
                        "write NAME=VALUE");
    std::memcpy(context.data() + found->offset, &value, sizeof(value));
  }
  return Status::success();
}

/// The caller's buffers and the context get bytes; inputs theirs from the
/// tensors.
Status ProgramRun::bind(const std::vector<eval::Tensor> &inputs) {
  auto placed = simulator->place();
  if (!placed)
    return placed.takeError();
  bindings = std::move(*placed);
  size_t nextInput = 0;
  for (const Region &region : simulator->regions()) {
    if (region.role == Role::Constants || region.role == Role::Arena)
      continue; // the simulator's own
    std::vector<uint8_t> &bytes = buffers[region.number];
    bytes.resize(size_t(region.bytes));
    if (region.role == Role::Context)
      bytes = context;
    if (region.role == Role::Input)
      std::memcpy(bytes.data(), inputs[nextInput++].storage.get(),
                  bytes.size());
  }
  for (Binding &binding : bindings)
    if (auto found = buffers.find(binding.region); found != buffers.end())
      binding.bytes = found->second;
  return Status::success();
}

Result<Outcome> ProgramRun::simulateTraced(simulator::RunOptions options) {
  std::unique_ptr<simulator::TraceSink> trace;
  std::unique_ptr<llvm::raw_fd_ostream> file;
  if (arguments.has(option::trace_json)) {
    std::string name = arguments.value(option::trace_json);
    std::error_code error;
    file = std::make_unique<llvm::raw_fd_ostream>(name, error);
    if (error)
      return Diagnostic{
          FailureKind::System, error.message(), "FILE-OUT-1", name, "", ""};
    trace = simulator::jsonTrace(*file, simulator->machine());
  } else if (arguments.has(option::trace)) {
    trace = simulator::textTrace(llvm::outs(), simulator->machine());
  }
  options.trace = trace.get();
  return simulator->run(bindings, options);
}

Status ProgramRun::simulate() {
  simulator::RunOptions options;
  options.audit = arguments.has(option::audit);
  auto seed = arguments.number(option::perturb);
  if (!seed)
    return seed.takeError();
  options.perturbation = *seed;
  auto outcome = simulateTraced(options);
  if (!outcome)
    return outcome.takeError();
  if (outcome->fault) {
    if (arguments.has(option::json))
      writeFaultReport(llvm::outs(), simulator->machine().name, *outcome);
    Diagnostic failure = outcome->fault->diagnostic();
    failure.file = path;
    return failure;
  }
  report.simulation = std::move(outcome->counters);
  report.byNode = arguments.has(option::profile);
  return Status::success();
}

std::vector<eval::Tensor> ProgramRun::takeOutputs() {
  std::vector<eval::Tensor> tensors;
  for (const Region &region : simulator->regions()) {
    if (region.role != Role::Output)
      continue;
    const runtime::TensorInterface &about = report.outputs[tensors.size()];
    eval::Tensor tensor;
    tensor.shape = about.shape;
    tensor.element = about.element;
    tensor.quant = about.quant;
    tensor.allocate();
    std::memcpy(tensor.storage.get(), buffers[region.number].data(),
                size_t(tensor.byteCount()));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
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
  auto random = arguments.number(option::random);
  if (!random)
    return random.takeError();
  if (Status status = prepare(); !status)
    return status.takeError();
  auto inputs =
      readInputs(interfacesOf(simulator->program(), isa::BufferUse::Input),
                 arguments.values(option::input), *random);
  if (!inputs)
    return inputs.takeError();
  if (Status status = bind(*inputs); !status)
    return status.takeError();
  if (Status status = simulate(); !status)
    return status.takeError();
  report.target = simulator->machine().name;
  report.outputs = interfacesOf(simulator->program(), isa::BufferUse::Output);
  report.tensors = takeOutputs();
  if (Status status = writeFiles(); !status)
    return status.takeError();
  if (arguments.has(option::json))
    writeReport(llvm::outs(), report);
  else
    printReport(llvm::outs(), report);
  return 0;
}

Result<int> tally::runProgram(const Arguments &arguments) {
  std::string path = arguments.positional().front();
  if (Status status = refuseModelOptions(arguments, path); !status)
    return status.takeError();
  if (Status status = refuseTwoTraces(arguments); !status)
    return status.takeError();
  return ProgramRun(arguments, path).run();
}
