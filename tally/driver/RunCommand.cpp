//===- RunCommand.cpp - tally run -----------------------------------------===//

#include "tally/driver/Commands.h"
#include "tally/driver/Executable.h"
#include "tally/driver/Phases.h"
#include "tally/driver/tensors/Comparison.h"
#include "tally/driver/tensors/InputFiles.h"
#include "tally/driver/tensors/OutputFiles.h"
#include "tally/driver/tensors/Summary.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;

static Result<int> run(const Arguments &arguments) {
  auto model = parseModelArguments(arguments);
  if (!model)
    return model.takeError();
  auto control = parsePhaseControl(arguments);
  if (!control)
    return control.takeError();
  mlir::MLIRContext context;
  PhaseRunner phases(*control);
  auto module = phases.import(context, *model);
  if (!module)
    return module.takeError();
  auto executable = evaluatorOf(mainFunction(**module), model->numerics);
  auto random = arguments.number(option::random);
  if (!random)
    return random.takeError();
  auto inputs =
      readInputs(executable.inputs, arguments.values(option::input), *random);
  if (!inputs)
    return inputs.takeError();
  auto outputs = executable.run(*inputs);
  if (!outputs)
    return outputs.takeError();
  for (size_t i = 0; i < outputs->size(); ++i)
    printSummary(llvm::outs(), executable.outputs[i], (*outputs)[i]);
  if (arguments.has(option::output_dir)) {
    auto paths = writeOutputs(arguments.value(option::output_dir),
                              executable.outputs, *outputs);
    if (!paths)
      return paths.takeError();
  }
  return 0;
}

const CommandSpec tally::kRunCommand = {
    "run",
    option::InRun,
    " MODEL|ARTIFACT [OPTIONS]",
    "Run a model or a compiled library and show its outputs",
    "",
    1,
    run};
