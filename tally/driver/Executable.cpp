//===- Executable.cpp - something that can be run -------------------------===//

#include "tally/driver/Executable.h"
#include "tally/driver/GraphInterface.h"
#include "tally/eval/Evaluator.h"
#include "tally/runtime/Context.h"
#include "tally/runtime/JitProgram.h"
#include "tally/support/Progress.h"

using namespace tally;

Executable tally::evaluatorOf(mlir::func::FuncOp function,
                              eval::Profile profile, const Observer &observer) {
  Executable executable;
  executable.name = "eval";
  executable.inputs = inputInterface(function);
  executable.outputs = outputInterface(function);
  mlir::Block &body = function.getBody().front();
  int64_t operations = std::distance(body.begin(), body.end());
  executable.states = statesAbout(function);
  executable.givenStates = givenStateInterface(function);
  auto states = std::make_shared<eval::StateValues>();
  executable.stateValues = [states]() -> Result<runtime::NamedTensors> {
    return *states; // all of them, once a run has written them
  };
  executable.setStateValues = [states](const runtime::NamedTensors &values) {
    *states = values;
    return Status::success();
  };
  executable.run = [=](const std::vector<eval::Tensor> &inputs) {
    Progress progress("evaluating", operations);
    eval::EvaluatorOptions options;
    options.profile = profile;
    options.states = states.get();
    options.observe = observer;
    options.progress = [&](int64_t index, int64_t) {
      progress.advance(index ? 1 : 0);
    };
    return eval::evaluate(function, inputs, options);
  };
  return executable;
}

static Result<Executable> programExecutable(runtime::Program program,
                                            int64_t threads) {
  auto context = runtime::Context::create(std::move(program));
  if (!context)
    return context.takeError();
  if (Status status = context->setThreads(threads); !status)
    return status.takeError();
  auto shared = std::make_shared<runtime::Context>(std::move(*context));
  Executable executable;
  executable.name = "cpu";
  executable.inputs = shared->interface().inputs;
  executable.outputs = shared->interface().outputs;
  executable.run = [shared](const std::vector<eval::Tensor> &inputs) {
    return shared->run(inputs);
  };
  const runtime::Interface &about = shared->interface();
  executable.states = {runtime::stateTensors(about), about.stateHash};
  for (const runtime::StateInterface &state : about.states)
    if (!state.initial)
      executable.givenStates.push_back(state.tensor);
  executable.stateValues = [shared] { return shared->states(); };
  executable.setStateValues = [shared](const runtime::NamedTensors &values) {
    return shared->setStates(values);
  };
  return executable;
}

Result<Executable> tally::jitExecutable(cpu::CompiledObject compiled,
                                        int64_t threads) {
  auto program =
      runtime::jitProgram(compiled.object, std::move(compiled.interface));
  if (!program)
    return program.takeError();
  return programExecutable(std::move(*program), threads);
}

Result<Executable> tally::artifactExecutable(const std::string &path,
                                             int64_t threads) {
  auto program = runtime::loadProgram(path);
  if (!program)
    return program.takeError();
  return programExecutable(std::move(*program), threads);
}
