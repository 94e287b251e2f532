//===- RunSegments.cpp - tally run of a model in segments -----------------===//

#include "tally/driver/fallback/RunSegments.h"
#include "tally/driver/ProgramMachine.h"
#include "tally/driver/SimulateProgram.h"
#include "tally/driver/SimulatedSteps.h"
#include "tally/driver/fallback/SegmentRun.h"
#include "tally/driver/tensors/OutputFiles.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally;

/// What belongs to one program alone.
static Status checkOptions(const Arguments &arguments,
                           const std::string &path) {
  if (Status status = refuseModelOptionsForProgram(arguments, path); !status)
    return status;
  for (auto [id, name] : {std::pair(option::trace, "--trace"),
                          std::pair(option::trace_json, "--trace-json"),
                          std::pair(option::scalar, "--scalar")})
    if (arguments.has(id))
      return usageError("CLI-3",
                        std::string(name) + " is about one program, and '" +
                            path + "' holds several segments",
                        "take a program out of it (ar x " + path +
                            ") and run that");
  return Status::success();
}

static Result<simulator::RunOptions>
parseRunOptions(const Arguments &arguments) {
  simulator::RunOptions options;
  options.audit = arguments.has(option::audit);
  auto seed = arguments.number(option::perturb);
  if (!seed)
    return seed.takeError();
  options.perturbation = *seed;
  return options;
}

static Result<SegmentRun> load(const Arguments &arguments,
                               const std::string &path) {
  auto file = runtime::readSegments(path);
  if (!file)
    return file.takeError();
  return SegmentRun::load(std::move(*file), path,
                          [&](const isa::Program &program) {
                            return machineFor(arguments, program);
                          });
}

/// The reports of the segments are those of the last step.
static Result<RunReport> runSteps(SimulatedSteps &steps, SegmentRun &run,
                                  const simulator::RunOptions &options) {
  auto data = steps.readData(run.inputs());
  if (!data)
    return data.takeError();
  auto outputs = steps.run(run.inputs(), *data,
                           [&](const std::vector<eval::Tensor> &inputs) {
                             return run.run(inputs, options);
                           });
  if (!outputs)
    return outputs.takeError();
  RunReport report;
  report.target = "segments";
  report.outputs = run.outputs();
  for (size_t i = 0; i < outputs->size(); ++i)
    report.outputs[i].shape = (*outputs)[i].shape;
  report.tensors = std::move(*outputs);
  report.segments = run.reports();
  return report;
}

Result<int> tally::runSegments(const Arguments &arguments) {
  std::string path = arguments.positional().front();
  if (Status status = checkOptions(arguments, path); !status)
    return status.takeError();
  auto options = parseRunOptions(arguments);
  if (!options)
    return options.takeError();
  auto run = load(arguments, path);
  if (!run)
    return run.takeError();
  SimulatedSteps steps(arguments, run->states());
  if (Status status = steps.prepare(); !status)
    return status.takeError();
  auto report = runSteps(steps, *run, *options);
  if (!report)
    return report.takeError();
  if (arguments.has(option::output_dir)) {
    auto files = writeOutputs(arguments.value(option::output_dir),
                              report->outputs, report->tensors);
    if (!files)
      return files.takeError();
    report->files = *files;
  }
  if (Status status = steps.writeStateFile(); !status)
    return status.takeError();
  if (arguments.has(option::json))
    writeReport(llvm::outs(), *report);
  else
    printReport(llvm::outs(), *report);
  return 0;
}
