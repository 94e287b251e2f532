//===- DiffCommand.cpp - tally diff ---------------------------------------===//

#include "tally/driver/AllNodes.h"
#include "tally/driver/Codegen.h"
#include "tally/driver/Commands.h"
#include "tally/driver/GraphInterface.h"
#include "tally/driver/diff/Reference.h"
#include "tally/driver/tensors/InputFiles.h"
#include "tally/runtime/Artifact.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally;
using eval::Tensor;

namespace {
/// What the command line asks for.
struct DiffOptions : CompilerArguments {
  std::string reference;
  bool optimized = false;
  bool onEvaluator = false;
};
} // namespace

static Result<DiffOptions> parseDiffOptions(const Arguments &arguments) {
  DiffOptions options;
  auto model = parseModelArguments(arguments);
  if (!model)
    return model.takeError();
  if (runtime::looksLikeArtifact(model->path))
    return usageError("RUN-10",
                      "'" + model->path +
                          "' is compiled: it has no graph to compare",
                      "name the model instead");
  auto cpu = parseCpuOptions(arguments, *model);
  if (!cpu)
    return cpu.takeError();
  if (!arguments.has(option::tiers))
    cpu->tiers = hostTier();
  std::string target = arguments.value(option::target, "cpu");
  if (target != "cpu" && target != "eval")
    return usageError("CLI-3", "there is no target '" + target + "'",
                      "targets: cpu, eval");
  options.model = std::move(*model);
  options.cpu = std::move(*cpu);
  options.fusion = cpuFusion(options.cpu.numerics);
  options.reference = arguments.value(option::ref);
  options.optimized = arguments.has(option::ref_optimized);
  options.onEvaluator = target == "eval";
  if (options.reference.empty())
    return usageError("CLI-3", "--ref is missing",
                      "write --ref onnxruntime, --ref FLOAT.onnx or --ref "
                      "TENSORS.npz");
  if (options.optimized && options.reference != "onnxruntime")
    return usageError("CLI-3", "--ref-optimized belongs to --ref onnxruntime");
  return options;
}

/// The tensors of our own run by the model's names.
static Result<std::map<std::string, Tensor>>
runOnEvaluator(mlir::func::FuncOp function, const std::vector<Tensor> &inputs,
               eval::Profile profile) {
  llvm::DenseMap<mlir::Value, std::string> names;
  for (auto &[name, value] : namedTensors(function))
    names[value] = name.str();
  std::map<std::string, Tensor> tensors;
  auto outputs = evaluatorOf(function, profile,
                             [&](mlir::Value value, const Tensor &tensor) {
                               auto name = names.find(value);
                               if (name != names.end())
                                 tensors[name->second] = tensor;
                             })
                     .run(inputs);
  if (!outputs)
    return outputs.takeError();
  return tensors;
}

static Result<std::map<std::string, Tensor>>
runCompiled(mlir::ModuleOp module, const std::vector<Tensor> &inputs,
            const DiffOptions &options) {
  PhaseRunner phases({});
  auto executable = compileForHost(phases, module, options, Expose::All);
  if (!executable)
    return executable.takeError();
  auto outputs = executable->run(inputs);
  if (!outputs)
    return outputs.takeError();
  std::map<std::string, Tensor> tensors;
  for (auto [interface, tensor] : llvm::zip(executable->outputs, *outputs))
    tensors.emplace(interface.name, std::move(tensor));
  return tensors;
}

static Result<report::DifferenceReport> compare(const Arguments &arguments,
                                                const DiffOptions &options) {
  auto random = arguments.number(option::random);
  if (!random)
    return random.takeError();
  mlir::MLIRContext context;
  auto module = PhaseRunner({}).import(context, options.model);
  if (!module)
    return module.takeError();
  mlir::func::FuncOp function = mainFunction(**module);
  auto inputs = readInputs(inputInterface(function),
                           arguments.values(option::input), *random);
  if (!inputs)
    return inputs.takeError();
  auto reference = makeReference(
      {options.reference, options.model, options.optimized, function, *inputs});
  if (!reference)
    return reference.takeError();
  auto ours = options.onEvaluator
                  ? runOnEvaluator(function, *inputs, options.model.numerics)
                  : runCompiled(**module, *inputs, options);
  if (!ours)
    return ours.takeError();
  OwnRun run{function, std::move(*inputs), std::move(*ours),
             options.model.numerics};
  return findDifferences(run, *reference, arguments.has(option::all));
}

static Result<int> diff(const Arguments &arguments) {
  auto options = parseDiffOptions(arguments);
  if (!options)
    return options.takeError();
  auto report = compare(arguments, *options);
  if (!report)
    return report.takeError();
  report->model = options->model.path;
  report->executor = options->onEvaluator ? "eval" : "cpu";
  bool all = arguments.has(option::all);
  if (arguments.has(option::json))
    report::writeDifferences(llvm::outs(), *report, all);
  else
    report::printDifferences(llvm::outs(), *report, all);
  return report->differentCodes() ? kExitDifferent : 0;
}

const CommandSpec tally::kDiffCommand = {
    "diff",
    option::InDiff,
    " MODEL.onnx --ref REFERENCE [OPTIONS]",
    "Compare every tensor with another executor's, and explain what differs",
    R"(
Runs the model and the reference on the same inputs. Prints the first node whose
codes differ, how many differ by how many steps, the signal-to-noise ratio, and
for each code that differs the exact value before rounding and the rule that
gives the reference's code from the reference's own operands. A rule is named
only when computing it again gives that code (docs/reference/differences.md).

REFERENCE is onnxruntime (its Python package must be there), FLOAT.onnx (another
model with the same inputs, such as the float original) or TENSORS.npz.

EXAMPLES:
  tally diff net.onnx --dim N=1 --ref onnxruntime --input image=picture.npy
  tally diff net.onnx --dim N=1 --ref onnxruntime --ref-optimized --random 7
      with that runtime's graph optimizations, which compute on integers
  tally diff net.onnx --dim N=1 --ref device.npz --input inputs.npz --json
)",
    1,
    diff};
