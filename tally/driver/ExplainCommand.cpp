//===- ExplainCommand.cpp - tally explain ---------------------------------===//

#include "tally/driver/Codegen.h"
#include "tally/driver/Commands.h"
#include "tally/driver/ExplainStates.h"
#include "tally/driver/NpuExplain.h"
#include "tally/driver/RemarkCollector.h"
#include "tally/runtime/Artifact.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;

static bool isForMachine(const Arguments &arguments) {
  return namesMachine(arguments.value(option::target));
}

static std::vector<std::string> allCategories(const Arguments &arguments) {
  std::vector<std::string> all = remarkCategories();
  if (!arguments.has(option::fallback))
    llvm::erase(all, "place"); // there is one place
  if (isForMachine(arguments))
    all.insert(all.end(), std::begin(kMachineSections),
               std::end(kMachineSections));
  return all;
}

/// The categories that --only names, or all.
static Result<std::vector<std::string>>
parseCategories(const Arguments &arguments) {
  std::vector<std::string> known = allCategories(arguments);
  if (!arguments.has(option::only))
    return known;
  std::vector<std::string> wanted = arguments.listOf(option::only);
  for (const std::string &name : wanted)
    if (!llvm::is_contained(known, name))
      return usageError("CLI-3", "there is no category '" + name + "'",
                        "categories: " + llvm::join(known, ", "));
  llvm::erase_if(known, [&](const std::string &name) {
    return !llvm::is_contained(wanted, name);
  });
  if (known.empty())
    return usageError("CLI-3", "--only names no category",
                      "categories: " +
                          llvm::join(allCategories(arguments), ", "));
  return known;
}

/// Without an accelerator: CLI-3 for its options, and for other targets.
static Status refuseMachineOptions(const Arguments &arguments) {
  std::string target = arguments.value(option::target, "cpu");
  if (target != "cpu")
    return usageError("CLI-3", "there is no target '" + target + "' to explain",
                      "targets: cpu, edge, tiny, wide, or a machine file "
                      "MACHINE.yaml");
  for (auto [id, name] : {std::pair(option::budget, "--budget"),
                          std::pair(option::choose, "--choose"),
                          std::pair(option::fallback, "--fallback"),
                          std::pair(option::sync_registers, "--sync-registers"),
                          std::pair(option::svg, "--svg")})
    if (arguments.has(id))
      return usageError("CLI-3",
                        std::string(name) +
                            " is explained for an accelerator's program alone",
                        "name the machine with --target");
  return Status::success();
}

/// Runs the phases up to code generation, which decides nothing any more about
/// the graph but where results are stored.
static Status runPhases(mlir::MLIRContext &context,
                        const ModelArguments &model) {
  PhaseRunner phases{PhaseControl()};
  auto module = phases.import(context, model);
  if (!module)
    return module.takeError();
  if (Status status = phases.rewrite(**module); !status)
    return status;
  if (Status status = phases.fuse(**module, cpuFusion(model.numerics)); !status)
    return status;
  if (Status status = phases.placeStates(**module, kCpuPlaces); !status)
    return status;
  explainStorage(**module);
  return Status::success();
}

static Result<int> explain(const Arguments &arguments) {
  auto model = parseModelArguments(arguments);
  if (!model)
    return model.takeError();
  if (runtime::looksLikeArtifact(model->path))
    return usageError(
        "RUN-10", "'" + model->path + "' is compiled: its decisions are made",
        "name the model instead");
  auto categories = parseCategories(arguments);
  if (!categories)
    return categories.takeError();
  if (isForMachine(arguments))
    return explainForMachine(arguments, *categories);
  if (Status status = refuseMachineOptions(arguments); !status)
    return status.takeError();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto collector = RemarkCollector::start(context, *categories,
                                          arguments.value(option::remarks));
  if (!collector)
    return collector.takeError();
  if (Status status = runPhases(context, *model); !status)
    return status.takeError();
  auto explanation = (*collector)->finish();
  if (!explanation)
    return explanation.takeError();
  explanation->model = model->path;
  if (arguments.has(option::json))
    report::writeExplanation(llvm::outs(), *explanation);
  else
    report::printExplanation(llvm::outs(), *explanation,
                             arguments.has(option::all));
  return 0;
}

const CommandSpec tally::kExplainCommand = {
    "explain",
    option::InExplain,
    " MODEL.onnx [OPTIONS]",
    "Tell what the compiler decided about a model's nodes, and why",
    R"(
What rewrites did, what they refused and for which reason, and what would change
it, by the model's own node names. Decisions that say the same are one entry
with a count; --all lists each. docs/reference/remarks.md explains the codes.
With --target MACHINE also what its program does: what each node was given,
every byte of each memory, every synchronization register and what fewer cost.

EXAMPLES:
  tally explain net.onnx --dim N=1
  tally explain net.onnx --dim N=1 --only quantize --all
  tally explain net.onnx --state h_out=h_in --only state
      where each state lives, what a call writes of it, what is copied and why
  tally explain net.onnx --target edge --fallback=cpu --only place
      which nodes the accelerator edge runs, and why the host has the others
  tally explain net.onnx --dim N=1 --remarks net.opt.yaml
      write LLVM remarks as well, for llvm-remarkutil
  tally explain net.onnx --dim N=1 --target edge --only memory --budget 8M
      where every byte of the accelerator's program lies, and until when
)",
    1,
    explain};
