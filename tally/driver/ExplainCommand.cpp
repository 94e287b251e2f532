//===- ExplainCommand.cpp - tally explain ---------------------------------===//

#include "tally/driver/Codegen.h"
#include "tally/driver/Commands.h"
#include "tally/driver/NpuCompile.h"
#include "tally/driver/RemarkCollector.h"
#include "tally/driver/fallback/CompileSegments.h"
#include "tally/machine/ShippedMachines.h"
#include "tally/runtime/Artifact.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;

/// The categories that --only names, or all.
static Result<std::vector<std::string>>
parseCategories(const Arguments &arguments) {
  std::vector<std::string> known = remarkCategories();
  if (!arguments.has(option::only)) {
    if (!arguments.has(option::fallback))
      llvm::erase(known, "place"); // there is one place
    return known;
  }
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
                      "categories: " + llvm::join(remarkCategories(), ", "));
  return known;
}

/// Runs the phases up to code generation, which decides nothing any more about
/// the graph.
static Status runPhases(mlir::MLIRContext &context, const Arguments &arguments,
                        const ModelArguments &model) {
  std::string target = arguments.value(option::target, "cpu");
  PhaseRunner phases{PhaseControl()};
  auto module = phases.import(context, model);
  if (!module)
    return module.takeError();
  if (Status status = phases.rewrite(**module); !status)
    return status;
  if (!namesMachine(target))
    return phases.fuse(**module, cpuFusion(model.numerics));
  auto machine = machine::findMachine(target);
  if (!machine)
    return machine.takeError();
  if (Status status = phases.fuse(**module, npuFusion()); !status)
    return status;
  return arguments.has(option::fallback)
             ? explainSegments(**module, *machine, model.path)
             : Status::success();
}

static Status checkTarget(const Arguments &arguments) {
  std::string target = arguments.value(option::target, "cpu");
  if (namesMachine(target))
    return checkFallback(arguments);
  if (target == "cpu")
    return refuseFallback(arguments);
  return usageError("CLI-3",
                    "there is no target '" + target + "' to compile for",
                    "targets: cpu, edge, tiny, wide, or a machine file "
                    "MACHINE.yaml");
}

static Result<int> explain(const Arguments &arguments) {
  auto model = parseModelArguments(arguments);
  if (!model)
    return model.takeError();
  if (Status status = checkTarget(arguments); !status)
    return status.takeError();
  if (runtime::looksLikeArtifact(model->path))
    return usageError(
        "RUN-10", "'" + model->path + "' is compiled: its decisions are made",
        "name the model instead");
  auto categories = parseCategories(arguments);
  if (!categories)
    return categories.takeError();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto collector = RemarkCollector::start(context, *categories,
                                          arguments.value(option::remarks));
  if (!collector)
    return collector.takeError();
  if (Status status = runPhases(context, arguments, *model); !status)
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

EXAMPLES:
  tally explain net.onnx --dim N=1
  tally explain net.onnx --dim N=1 --only quantize --all
  tally explain net.onnx --target edge --fallback=cpu --only place
      which nodes the accelerator edge runs, and why the host has the others
  tally explain net.onnx --dim N=1 --remarks net.opt.yaml
      write LLVM remarks as well, for llvm-remarkutil
)",
    1,
    explain};
