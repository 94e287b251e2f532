//===- SimulatedStates.cpp - states of a program in the simulator ---------===//

#include "tally/driver/SimulatedStates.h"
#include "tally/emit/isa/Config.h"

#include <algorithm>

using namespace tally;
using simulator::Binding;

eval::Element tally::elementOf(machine::ElementType type) {
  constexpr eval::Element elements[] = {eval::Element::I8,  eval::Element::U8,
                                        eval::Element::I16, eval::Element::U16,
                                        eval::Element::I32, eval::Element::I64,
                                        eval::Element::F16, eval::Element::F32};
  return elements[size_t(type)];
}

static runtime::StatePolicy policyOf(isa::StatePolicy policy) {
  constexpr runtime::StatePolicy policies[] = {
      runtime::StatePolicy::Flip, runtime::StatePolicy::InPlace,
      runtime::StatePolicy::Keep, runtime::StatePolicy::Exchange};
  return policies[size_t(policy)];
}

static runtime::StateInterface interfaceOf(const isa::State &state) {
  runtime::StateInterface about;
  about.tensor.name = state.name;
  about.tensor.element = elementOf(state.type);
  about.tensor.shape = state.shape;
  if (state.scale != 0)
    about.tensor.quant =
        eval::Quantization{eval::minValue(about.tensor.element),
                           eval::maxValue(about.tensor.element),
                           {float(state.scale)},
                           {state.zero},
                           -1};
  about.policy = policyOf(state.policy);
  about.current = state.current;
  about.next = state.next;
  about.isRead = state.oldBuffer >= 0;
  about.isWritten = state.newBuffer >= 0;
  if (about.isWritten)
    about.writtenBytes = about.tensor.byteCount();
  if (state.initial)
    about.initial.emplace(state.initial->begin(), state.initial->end());
  about.reason = state.reason;
  return about;
}

SimulatedStates::SimulatedStates(const isa::Program &program)
    : about(std::make_unique<runtime::Interface>()) {
  for (const isa::State &state : program.states)
    about->states.push_back(interfaceOf(state));
  about->slotBytes = program.slots;
  about->commit = program.commit;
  about->stateHash = program.stateHash;
  lines = std::make_unique<std::vector<Line>>(
      size_t(runtime::stateLayout(*about).bytes / runtime::kStateAlignment));
  if (!about->states.empty())
    block().reset();
}

std::vector<runtime::TensorInterface> SimulatedStates::given() const {
  std::vector<runtime::TensorInterface> tensors;
  for (const runtime::StateInterface &state : about->states)
    if (!state.initial)
      tensors.push_back(state.tensor);
  return tensors;
}

Result<runtime::NamedTensors> SimulatedStates::values() const {
  runtime::NamedTensors values;
  for (size_t i = 0; i < about->states.size(); ++i) {
    if (Status status = block().checkValue(i); !status)
      return status.takeError();
    const runtime::TensorInterface &type = about->states[i].tensor;
    eval::Tensor tensor{type.shape, type.element, type.quant, nullptr};
    tensor.allocate();
    block().readValue(i, tensor.storage.get());
    values.emplace(type.name, std::move(tensor));
  }
  return values;
}

void SimulatedStates::setValues(const runtime::NamedTensors &values) {
  for (size_t i = 0; i < about->states.size(); ++i) {
    auto found = values.find(about->states[i].tensor.name);
    if (found == values.end())
      block().reset(i);
    else
      block().setValue(i, found->second.storage.get());
  }
}

static void bindBuffer(std::span<Binding> bindings, int64_t buffer,
                       const void *data, int64_t bytes) {
  auto found = std::ranges::find(bindings, isa::kFirstCallerRegion + buffer,
                                 &Binding::region);
  if (buffer >= 0 && found != bindings.end())
    found->bytes = {static_cast<uint8_t *>(const_cast<void *>(data)),
                    size_t(bytes)};
}

Status SimulatedStates::bind(const isa::Program &program,
                             std::span<Binding> bindings) const {
  if (about->states.empty())
    return Status::success();
  if (Status status = block().checkValues(); !status)
    return status;
  for (size_t i = 0; i < about->states.size(); ++i) {
    const isa::State &state = program.states[i];
    int64_t bytes = about->states[i].tensor.byteCount();
    bindBuffer(bindings, state.oldBuffer, block().oldValue(i), bytes);
    bindBuffer(bindings, state.newBuffer, block().newValue(i), bytes);
  }
  return Status::success();
}
