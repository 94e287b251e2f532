//===- RunCommand.cpp - tally run -----------------------------------------===//

#include "tally/driver/AllNodes.h"
#include "tally/driver/Codegen.h"
#include "tally/driver/Commands.h"
#include "tally/driver/NpuArguments.h"
#include "tally/driver/RunReport.h"
#include "tally/driver/SimulateProgram.h"
#include "tally/driver/SimulatedGraph.h"
#include "tally/driver/Steps.h"
#include "tally/driver/fallback/RunSegments.h"
#include "tally/driver/tensors/InputFiles.h"
#include "tally/driver/tensors/OutputFiles.h"
#include "tally/runtime/Artifact.h"
#include "tally/runtime/SegmentFile.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally;

namespace {
/// What the command line asks for.
struct RunOptions : CompilerArguments {
  bool onEvaluator = false;
  bool compare = false;
  bool allNodes = false;
  std::optional<int64_t> steps;            ///< nothing: one, not counted
  std::optional<machine::Machine> machine; ///< that --target names
};

/// One `tally run`.
class Run {
public:
  Run(const Arguments &arguments, RunOptions options)
      : arguments(arguments), options(std::move(options)),
        phases(this->options.control) {}

  Result<int> run();

private:
  Result<Executable> prepare();
  Result<Executable> prepareArtifact();
  Result<Executable> prepareModel();
  Result<std::vector<eval::Tensor>> readInputs(std::optional<uint64_t> random);
  Status readStateFile();
  Status startStates(Executable &what, const std::vector<eval::Tensor> &data);
  Result<std::vector<eval::Tensor>>
  runSteps(Executable &what, const std::vector<eval::Tensor> &data);
  Status compare(const std::vector<eval::Tensor> &inputs,
                 std::vector<eval::Tensor> &outputs);
  Status compareOutputs(const std::vector<eval::Tensor> &found,
                        const std::vector<eval::Tensor> &expected);
  Status compareStates(const Executable &judge);
  Status writeFiles(const std::vector<eval::Tensor> &outputs);
  Status writeStateFile();

  const Arguments &arguments;
  const RunOptions options;
  mlir::MLIRContext context;
  PhaseRunner phases;
  mlir::OwningOpRef<mlir::ModuleOp> graph; ///< as imported
  size_t plainOutputs = 0; ///< of the executable's, without exposed tensors
  Executable executable;
  std::optional<runtime::NamedTensors> restored; ///< from --state-in
  RunReport report;
};
} // namespace

static Result<RunOptions> parseRunOptions(const Arguments &arguments) {
  auto parsed = parseCompilerArguments(arguments);
  if (!parsed)
    return parsed.takeError();
  RunOptions options{std::move(*parsed)};
  if (!arguments.has(option::tiers))
    options.cpu.tiers = hostTier();
  std::string target = arguments.value(option::target, "cpu");
  if (namesMachine(target)) {
    auto accelerator = parseNpuArguments(arguments);
    if (!accelerator)
      return accelerator.takeError();
    options.machine = std::move(accelerator->machine);
  } else if (target != "cpu" && target != "eval") {
    return usageError("CLI-3", "there is no target '" + target + "' to run on",
                      "targets: cpu, eval, edge, tiny, wide, or a machine file "
                      "MACHINE.yaml");
  }
  std::string other = arguments.value(option::compare_with, "eval");
  if (other != "eval")
    return usageError("CLI-3", "nothing compares with '" + other + "'",
                      "write --compare-with eval");
  options.onEvaluator = target == "eval";
  options.compare = arguments.has(option::compare_with);
  options.allNodes = arguments.has(option::all_nodes);
  if (options.compare && options.onEvaluator)
    return usageError("CLI-3", "--target eval has nothing to compare with",
                      "write --target cpu --compare-with eval");
  if (options.allNodes && !options.compare)
    return usageError("CLI-3", "--all-nodes belongs to --compare-with eval");
  auto steps = parseSteps(arguments);
  if (!steps)
    return steps.takeError();
  options.steps = *steps;
  if (options.steps && options.allNodes)
    return usageError("CLI-3", "--all-nodes compares one run, not --steps",
                      "leave one of them out");
  if (options.onEvaluator && arguments.has(option::max_state_copies))
    return usageError("CLI-3",
                      "--max-state-copies has no effect with --target eval");
  if (options.onEvaluator || options.machine)
    for (auto [id, name] :
         {std::pair(option::tiers, "--tiers"),
          std::pair(option::threads, "--threads"),
          std::pair(option::budget, "--budget"),
          std::pair(option::max_table_bytes, "--max-table-bytes"),
          std::pair(option::table_budget, "--table-budget"),
          std::pair(option::reproducer, "--reproducer")})
      if (arguments.has(id))
        return usageError("CLI-3", std::string(name) +
                                       " has no effect with --target " +
                                       target);
  return options;
}

//===----------------------------------------------------------------------===//
// What runs
//===----------------------------------------------------------------------===//

Result<Executable> Run::prepareArtifact() {
  const char *wants = options.onEvaluator ? "--target eval"
                      : options.compare   ? "--compare-with eval"
                                          : nullptr;
  if (wants)
    return usageError("RUN-10",
                      "'" + options.model.path +
                          "' is compiled: it has no graph for " + wants,
                      "name the model instead");
  if (Status status = refuseModelOptions(arguments, options.model.path);
      !status)
    return status.takeError();
  return artifactExecutable(options.model.path, options.cpu.threads);
}

Result<Executable> Run::prepareModel() {
  auto module = phases.import(context, options.model);
  if (!module)
    return module.takeError();
  graph = std::move(*module);
  mlir::func::FuncOp function = mainFunction(*graph);
  plainOutputs = function.getNumResults();
  if (options.onEvaluator)
    return evaluatorOf(function, options.model.numerics);
  auto expose = options.allNodes ? Expose::Kept : Expose::Outputs;
  if (options.machine)
    return simulatedExecutable(phases, *graph, *options.machine, expose,
                               options.maxStateCopies);
  return compileForHost(phases, *graph, options, expose);
}

Result<Executable> Run::prepare() {
  return runtime::looksLikeArtifact(options.model.path) ? prepareArtifact()
                                                        : prepareModel();
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

Status Run::compareOutputs(const std::vector<eval::Tensor> &found,
                           const std::vector<eval::Tensor> &expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (found[i].shape != expected[i].shape ||
        found[i].element != expected[i].element) {
      tally::Diagnostic failure;
      failure.rule = "RUN-11";
      failure.node = executable.outputs[i].name;
      failure.message =
          executable.name + " and eval give outputs of different types";
      return failure;
    }
    auto difference = compareBits(found[i], expected[i]);
    report.outputDifferences.push_back(
        difference ? describe(*difference, found[i], expected[i]) : "");
  }
  return Status::success();
}

/// What the last step left for the next one.
Status Run::compareStates(const Executable &judge) {
  if (executable.states.tensors.empty())
    return Status::success();
  auto found = executable.stateValues();
  if (!found)
    return found.takeError();
  auto expected = judge.stateValues();
  if (!expected)
    return expected.takeError();
  for (const runtime::TensorInterface &state : executable.states.tensors) {
    const eval::Tensor &ours = found->at(state.name);
    const eval::Tensor &theirs = expected->at(state.name);
    auto difference = compareBits(ours, theirs);
    report.stateDifferences.emplace_back(
        state.name, difference ? describe(*difference, ours, theirs) : "");
  }
  return Status::success();
}

Status Run::compare(const std::vector<eval::Tensor> &inputs,
                    std::vector<eval::Tensor> &outputs) {
  mlir::func::FuncOp function = mainFunction(*graph);
  std::map<std::string, eval::Tensor> inner;
  for (size_t i = plainOutputs; i < outputs.size(); ++i)
    inner.emplace(executable.outputs[i].name, std::move(outputs[i]));
  outputs.resize(plainOutputs);
  executable.outputs.resize(plainOutputs);
  NodeComparison nodes(std::move(inner), function);
  Observer observer = [&](mlir::Value value, const eval::Tensor &tensor) {
    nodes.observe(value, tensor);
  };
  Executable judge = evaluatorOf(function, options.model.numerics,
                                 options.allNodes ? observer : nullptr);
  auto expected = runSteps(judge, inputs);
  if (!expected)
    return expected.takeError();
  if (options.allNodes)
    report.nodes =
        NodeReport{nodes.compared,  nodes.different,   nodes.missing(),
                   nodes.firstNode, nodes.firstTensor, nodes.firstText};
  report.compared = true;
  if (Status status = compareOutputs(outputs, *expected); !status)
    return status;
  return compareStates(judge);
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

Status Run::writeFiles(const std::vector<eval::Tensor> &outputs) {
  if (!arguments.has(option::output_dir))
    return Status::success();
  auto paths = writeOutputs(arguments.value(option::output_dir),
                            executable.outputs, outputs);
  if (!paths)
    return paths.takeError();
  report.files = *paths;
  return Status::success();
}

/// Data of the inputs, and then of the states that the caller gives unless they
/// are restored, for all steps.
Result<std::vector<eval::Tensor>>
Run::readInputs(std::optional<uint64_t> random) {
  std::vector<runtime::TensorInterface> wanted = executable.inputs;
  if (!restored)
    wanted.insert(wanted.end(), executable.givenStates.begin(),
                  executable.givenStates.end());
  if (Status status = checkGivesNoState(arguments.values(option::input), wanted,
                                        executable.states);
      !status)
    return status.takeError();
  return tally::readInputs(wanted, arguments.values(option::input), random,
                           options.steps);
}

/// What --state-in restores, or the values of the states that the caller gives,
/// which stand behind the inputs in `data`.
Status Run::startStates(Executable &what,
                        const std::vector<eval::Tensor> &data) {
  if (what.states.tensors.empty())
    return Status::success();
  if (restored)
    return what.setStateValues(*restored);
  std::vector<eval::Tensor> given(data.begin() + what.inputs.size(),
                                  data.end());
  given = inputsOfStep(what.givenStates, given, 0);
  runtime::NamedTensors values;
  for (auto [state, tensor] : llvm::zip(what.givenStates, given))
    values[state.name] = tensor;
  return what.setStateValues(values);
}

/// Of a run of several steps: says in which, from 1 on.
static tally::Diagnostic inStep(int64_t step, std::optional<int64_t> steps,
                                tally::Diagnostic failure) {
  if (steps)
    failure.message = "in step " + std::to_string(step + 1) + " of " +
                      std::to_string(*steps) + ": " + failure.message;
  return failure;
}

Result<std::vector<eval::Tensor>>
Run::runSteps(Executable &what, const std::vector<eval::Tensor> &data) {
  if (Status status = startStates(what, data); !status)
    return status.takeError();
  std::vector<std::vector<eval::Tensor>> outputs;
  for (int64_t step = 0; step < options.steps.value_or(1); ++step) {
    auto inputs = inputsOfStep(what.inputs, data, step);
    auto results = what.run(inputs);
    if (!results)
      return inStep(step, options.steps, results.takeError());
    outputs.resize(results->size());
    for (auto [list, tensor] : llvm::zip(outputs, *results))
      list.push_back(std::move(tensor));
  }
  std::vector<eval::Tensor> all;
  all.reserve(outputs.size());
  for (std::vector<eval::Tensor> &list : outputs)
    all.push_back(options.steps ? stackSteps(list) : std::move(list.front()));
  return all;
}

//===----------------------------------------------------------------------===//
// Files of states
//===----------------------------------------------------------------------===//

Status Run::readStateFile() {
  for (auto [id, name] : {std::pair(option::state_in, "--state-in"),
                          std::pair(option::state_out, "--state-out")})
    if (arguments.has(id))
      if (Status status = checkHasStates(executable.states, name); !status)
        return status;
  if (!arguments.has(option::state_in))
    return Status::success();
  auto values =
      readStates(arguments.value(option::state_in), executable.states);
  if (!values)
    return values.takeError();
  restored = std::move(*values);
  return Status::success();
}

Status Run::writeStateFile() {
  if (!arguments.has(option::state_out))
    return Status::success();
  auto values = executable.stateValues();
  if (!values)
    return values.takeError();
  return writeStates(arguments.value(option::state_out), executable.states,
                     *values);
}

/// A folder that cannot be written is told before the work, not after.
static Status checkFolder(const Arguments &arguments) {
  return arguments.has(option::output_dir)
             ? makeFolder(arguments.value(option::output_dir))
             : Status::success();
}

Result<int> Run::run() {
  auto random = arguments.number(option::random);
  if (!random)
    return random.takeError();
  if (Status status = checkFolder(arguments); !status)
    return status.takeError();
  auto prepared = prepare();
  if (!prepared)
    return prepared.takeError();
  executable = std::move(*prepared);
  if (Status status = readStateFile(); !status)
    return status.takeError();
  auto inputs = readInputs(*random);
  if (!inputs)
    return inputs.takeError();
  auto outputs = runSteps(executable, *inputs);
  if (!outputs)
    return outputs.takeError();
  if (options.compare)
    if (Status status = compare(*inputs, *outputs); !status)
      return status.takeError();
  if (Status status = writeFiles(*outputs); !status)
    return status.takeError();
  if (Status status = writeStateFile(); !status)
    return status.takeError();
  phases.finish();
  report.target = executable.name;
  report.outputs = executable.outputs;
  for (auto [output, tensor] : llvm::zip(report.outputs, *outputs))
    output.shape = tensor.shape; // with a dimension for --steps
  report.tensors = std::move(*outputs);
  if (arguments.has(option::json))
    writeReport(llvm::outs(), report);
  else
    printReport(llvm::outs(), report);
  return report.differs() ? kExitDifferent : 0;
}

static Result<int> runModel(const Arguments &arguments) {
  std::vector<std::string> files = arguments.positional();
  if (files.size() == 1 && looksLikeProgram(files.front()))
    return runProgram(arguments);
  if (files.size() == 1 && runtime::looksLikeSegments(files.front()))
    return runSegments(arguments);
  if (Status status = refuseProgramOptions(arguments); !status)
    return status.takeError();
  auto options = parseRunOptions(arguments);
  if (!options)
    return options.takeError();
  return Run(arguments, std::move(*options)).run();
}

const CommandSpec tally::kRunCommand = {
    "run",
    option::InRun,
    " MODEL.onnx|ARTIFACT|PROGRAM.elf [OPTIONS]",
    "Run a model, a compiled library or a program and show its outputs",
    R"(
An input's DATA is FILE.npy, FILE.npz (its array of the input's name, or its
only one), random:SEED or random:SEED:LOW..HIGH. Made-up floats lie in [-1, 1),
8- and 16-bit codes take their whole range, 32- and 64-bit integers are 0 or 1.

EXAMPLES:
  tally run net.so --input image=picture.npy --output-dir out
      run a compiled library; out/NAME.npy for every output
  tally run net.onnx --dim N=1 --random 7 --compare-with eval
      compile for this machine, run, and compare with the exact evaluator
  tally run net.onnx --dim N=1 --input ids=random:7:0..30000 --target eval
      run the evaluator alone, on made-up token numbers
  tally run net.onnx --state h_out=h_in --steps 50 --input x=frames.npy
      50 runs, each on the next index of frames.npy and the state that the
      last one left
  tally run net.so --state-in half.state --state-out whole.state --steps 50 ...
      goes on where the run stopped that wrote half.state, here or on another
      machine, compiled or not
  tally run net.elf --random 7 --trace-json trace.json
      simulate a program on its machine; open the trace at ui.perfetto.dev
  tally run net.onnx --target edge --random 7 --compare-with eval
      compile for an accelerator, simulate its program, and compare
  tally run net.onnx --random 7 --compare-with eval --all-nodes
      compare every tensor that the compiled form keeps; name the first node
      that differs
)",
    1,
    runModel};
