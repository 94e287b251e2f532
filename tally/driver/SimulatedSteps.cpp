//===- SimulatedSteps.cpp - steps of what runs in the simulator -----------===//

#include "tally/driver/SimulatedSteps.h"
#include "tally/driver/Steps.h"
#include "tally/driver/tensors/InputFiles.h"

using namespace tally;

Status SimulatedSteps::prepare() {
  auto asked = parseSteps(arguments);
  if (!asked)
    return asked.takeError();
  steps = *asked;
  StatesAbout about = states.statesAbout();
  for (auto [id, name] : {std::pair(option::state_in, "--state-in"),
                          std::pair(option::state_out, "--state-out")})
    if (arguments.has(id))
      if (Status status = checkHasStates(about, name); !status)
        return status;
  if (!arguments.has(option::state_in))
    return Status::success();
  auto values = readStates(arguments.value(option::state_in), about);
  if (!values)
    return values.takeError();
  restored = std::move(*values);
  return Status::success();
}

Result<std::vector<eval::Tensor>> SimulatedSteps::readData(
    const std::vector<runtime::TensorInterface> &inputs) const {
  auto random = arguments.number(option::random);
  if (!random)
    return random.takeError();
  std::vector<runtime::TensorInterface> wanted = inputs;
  if (!restored)
    for (runtime::TensorInterface &state : states.given())
      wanted.push_back(std::move(state));
  if (Status status = checkGivesNoState(arguments.values(option::input), wanted,
                                        states.statesAbout());
      !status)
    return status.takeError();
  return readInputs(wanted, arguments.values(option::input), *random, steps);
}

/// What --state-in restores, or the values of the states that the caller gives.
void SimulatedSteps::startStates(const std::vector<eval::Tensor> &given) {
  if (restored)
    return states.setValues(*restored);
  auto about = states.given();
  auto first = inputsOfStep(about, given, 0);
  runtime::NamedTensors values;
  for (size_t i = 0; i < about.size(); ++i)
    values[about[i].name] = first[i];
  states.setValues(values);
}

Result<std::vector<eval::Tensor>>
SimulatedSteps::run(const std::vector<runtime::TensorInterface> &inputs,
                    const std::vector<eval::Tensor> &data, const Once &once) {
  startStates({data.begin() + ptrdiff_t(inputs.size()), data.end()});
  std::vector<std::vector<eval::Tensor>> outputs;
  for (int64_t step = 0; step < steps.value_or(1); ++step) {
    auto results = once(inputsOfStep(inputs, data, step));
    if (!results)
      return results;
    outputs.resize(results->size());
    for (size_t i = 0; i < results->size(); ++i)
      outputs[i].push_back(std::move((*results)[i]));
  }
  std::vector<eval::Tensor> all;
  for (std::vector<eval::Tensor> &list : outputs)
    all.push_back(steps ? stackSteps(list) : std::move(list.front()));
  return all;
}

Status SimulatedSteps::writeStateFile() const {
  if (!arguments.has(option::state_out))
    return Status::success();
  auto values = states.values();
  if (!values)
    return values.takeError();
  return writeStates(arguments.value(option::state_out), states.statesAbout(),
                     *values);
}
