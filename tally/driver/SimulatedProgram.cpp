//===- SimulatedProgram.cpp - a program on tensors ------------------------===//

#include "tally/driver/SimulatedProgram.h"

#include <algorithm>
#include <cstring>

using namespace tally;
using simulator::Binding;
using simulator::Outcome;
using simulator::Region;
using simulator::Role;
using simulator::Simulator;

static runtime::TensorInterface interfaceOf(const isa::Buffer &buffer) {
  runtime::TensorInterface tensor;
  tensor.name = buffer.name;
  tensor.element = buffer.isBool ? eval::Element::Bool : elementOf(buffer.type);
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

SimulatedProgram::SimulatedProgram(std::unique_ptr<Simulator> simulator)
    : simulator(std::move(simulator)), theStates(program()) {
  context = program().context;
}

Result<SimulatedProgram> SimulatedProgram::create(machine::Machine machine,
                                                  isa::Program program) {
  auto created = Simulator::create(std::move(machine), std::move(program));
  if (!created)
    return created.takeError();
  return SimulatedProgram(std::move(*created));
}

std::vector<runtime::TensorInterface> SimulatedProgram::inputs() const {
  return interfacesOf(program(), isa::BufferUse::Input);
}

std::vector<runtime::TensorInterface> SimulatedProgram::outputs() const {
  return interfacesOf(program(), isa::BufferUse::Output);
}

bool SimulatedProgram::setScalar(const std::string &name, int32_t value) {
  auto &scalars = program().scalars;
  bool isCounter =
      std::ranges::any_of(program().states, [&](const isa::State &state) {
        return state.policy == isa::StatePolicy::Counter && state.name == name;
      });
  if (isCounter)
    return false;
  auto found = std::ranges::find(scalars, name, &isa::RuntimeScalar::name);
  if (found == scalars.end())
    return false;
  std::memcpy(context.data() + found->offset, &value, sizeof(value));
  return true;
}

/// The caller's buffers and the context get bytes; inputs theirs from the
/// tensors.
void SimulatedProgram::fill(const std::vector<eval::Tensor> &inputs) {
  size_t nextInput = 0;
  for (const Region &region : simulator->regions()) {
    bool isFilled = region.role == Role::Context ||
                    region.role == Role::Input || region.role == Role::Output;
    if (!isFilled)
      continue; // the simulator's own, or a state
    std::vector<uint8_t> &bytes = buffers[region.number];
    bytes.assign(size_t(region.bytes), 0);
    if (region.role == Role::Context)
      bytes = context;
    if (region.role == Role::Input)
      std::memcpy(bytes.data(), inputs[nextInput++].storage.get(),
                  bytes.size());
  }
}

Result<Outcome> SimulatedProgram::run(const std::vector<eval::Tensor> &inputs,
                                      const simulator::RunOptions &options) {
  auto bindings = simulator->place(theStates.slotBytes(program()));
  if (!bindings)
    return bindings.takeError();
  if (Status status = theStates.checkNumbers(); !status)
    return status.takeError();
  theStates.setScalars(program(), context);
  fill(inputs);
  for (Binding &binding : *bindings)
    if (auto found = buffers.find(binding.region); found != buffers.end())
      binding.bytes = found->second;
  if (Status status = theStates.bind(program(), *bindings); !status)
    return status.takeError();
  theStates.begin();
  auto outcome = simulator->run(*bindings, options);
  if (outcome && !outcome->fault && !program().states.empty())
    theStates.commit(program());
  return outcome;
}

std::vector<eval::Tensor> SimulatedProgram::results(
    const std::vector<runtime::TensorInterface> &about) const {
  std::vector<eval::Tensor> tensors;
  for (const Region &region : simulator->regions()) {
    if (region.role != Role::Output)
      continue;
    const runtime::TensorInterface &type = about[tensors.size()];
    eval::Tensor tensor{type.shape, type.element, type.quant, nullptr};
    tensor.allocate();
    std::memcpy(tensor.storage.get(), buffers.at(region.number).data(),
                size_t(tensor.byteCount()));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Result<std::vector<eval::Tensor>>
tally::simulateOnTensors(const isa::Program &program,
                         const machine::Machine &machine,
                         const std::vector<eval::Tensor> &inputs,
                         const std::vector<eval::Tensor> &outputs,
                         const simulator::RunOptions &options) {
  auto simulated = SimulatedProgram::create(machine, program);
  if (!simulated)
    return simulated.takeError();
  auto outcome = simulated->run(inputs, options);
  if (!outcome)
    return outcome.takeError();
  if (outcome->fault)
    return outcome->fault->diagnostic();
  std::vector<runtime::TensorInterface> about;
  for (const eval::Tensor &output : outputs)
    about.push_back({"", output.element, output.shape, output.quant});
  return simulated->results(about);
}
