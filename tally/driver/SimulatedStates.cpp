//===- SimulatedStates.cpp - states of a program in the simulator ---------===//

#include "tally/driver/SimulatedStates.h"
#include "tally/emit/isa/Config.h"

#include <algorithm>
#include <cstring>

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
  // Rows are written over old ones, and a call that counts writes nothing.
  constexpr runtime::StatePolicy policies[] = {
      runtime::StatePolicy::Flip, runtime::StatePolicy::InPlace,
      runtime::StatePolicy::Keep, runtime::StatePolicy::Exchange,
      runtime::StatePolicy::Ring, runtime::StatePolicy::InPlace,
      runtime::StatePolicy::Keep};
  return policies[size_t(policy)];
}

static runtime::StateInterface interfaceOf(const isa::State &state) {
  runtime::StateInterface about;
  about.tensor.name = state.name;
  about.tensor.element =
      state.isBool ? eval::Element::Bool : elementOf(state.type);
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
  about.writtenBytes = state.writtenBytes;
  about.copiedBytes = state.copiedBytes;
  if (state.policy == isa::StatePolicy::Ring) {
    about.advance = state.ring.enters * state.ring.pitch;
    about.rows = state.ring.frames;
    about.pitch = state.ring.pitch;
    about.extent = *state.bufferBytes();
    if (state.ring.down) {
      about.advance = about.target = -about.advance;
      about.extent += about.target; // what enters lies before the value
    }
  }
  if (state.initial)
    about.initial.emplace(state.initial->begin(), state.initial->end());
  about.reason = state.reason;
  if (state.policy != isa::StatePolicy::Counter)
    return about;
  about.most = state.counter.most;
  about.reason = "the caller counts up by " +
                 std::to_string(state.counter.step) + ", to " +
                 std::to_string(state.counter.last) + " at most";
  return about;
}

runtime::Interface tally::statesOf(const isa::Program &program) {
  runtime::Interface about;
  for (const isa::State &state : program.states)
    about.states.push_back(interfaceOf(state));
  about.slotBytes = program.slots;
  about.commit = program.commit;
  about.stateHash = program.stateHash;
  return about;
}

/// The equal parts of `bytes`, `outer` times `inner` of them, with the two
/// exchanged: part i of each o, where part o of each i was.
static void exchange(std::span<std::byte> bytes, int64_t outer, int64_t inner) {
  size_t part = bytes.size() / size_t(outer * inner);
  std::vector<std::byte> before(bytes.begin(), bytes.end());
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i)
      std::copy_n(before.begin() + ptrdiff_t(size_t(o * inner + i) * part),
                  part,
                  bytes.begin() + ptrdiff_t(size_t(i * outer + o) * part));
}

static std::span<std::byte> bytesOf(const eval::Tensor &tensor) {
  return {tensor.storage.get(), size_t(tensor.byteCount())};
}

SimulatedStates::SimulatedStates(const isa::Program &program)
    : SimulatedStates(statesOf(program)) {
  for (size_t i = 0; i < program.states.size(); ++i) {
    const isa::Ring &ring = program.states[i].ring;
    runs[i] = ring.runs;
    std::optional<std::string> &initial = about->states[i].initial;
    if (ring.runs > 1 && initial)
      exchange(
          {reinterpret_cast<std::byte *>(initial->data()), initial->size()},
          ring.runs, ring.frames);
  }
  if (!program.states.empty())
    block().reset();
}

SimulatedStates::SimulatedStates(runtime::Interface interface)
    : about(std::make_unique<runtime::Interface>(std::move(interface))),
      runs(about->states.size(), 1) {
  lines = std::make_unique<std::vector<Line>>(
      size_t(runtime::stateLayout(*about).bytes / runtime::kStateAlignment));
  if (!about->states.empty())
    block().reset();
}

StatesAbout SimulatedStates::statesAbout() const {
  StatesAbout result;
  for (const runtime::StateInterface &state : about->states)
    result.tensors.push_back(state.tensor);
  result.hash = about->stateHash;
  return result;
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
    if (runs[i] > 1)
      exchange(bytesOf(tensor), about->states[i].rows, runs[i]);
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
      give(i, found->second);
  }
}

void SimulatedStates::give(size_t state, const eval::Tensor &value) {
  if (runs[state] == 1)
    return block().setValue(state, value.storage.get());
  std::span<std::byte> bytes = bytesOf(value);
  std::vector<std::byte> frames(bytes.begin(), bytes.end());
  exchange(frames, runs[state], about->states[state].rows);
  block().setValue(state, frames.data());
}

void SimulatedStates::setValue(const std::string &name,
                               const eval::Tensor &value) {
  for (size_t i = 0; i < about->states.size(); ++i)
    if (about->states[i].tensor.name == name)
      give(i, value);
}

/// The binding of a buffer, or null.
static Binding *findBinding(std::span<Binding> bindings, int64_t buffer) {
  auto found = std::ranges::find(bindings, isa::kFirstCallerRegion + buffer,
                                 &Binding::region);
  return buffer >= 0 && found != bindings.end() ? &*found : nullptr;
}

static void bindBuffer(std::span<Binding> bindings, int64_t buffer,
                       const void *data, int64_t bytes) {
  if (Binding *binding = findBinding(bindings, buffer))
    binding->bytes = {static_cast<uint8_t *>(const_cast<void *>(data)),
                      size_t(bytes)};
}

std::map<int64_t, int64_t>
SimulatedStates::slotBytes(const isa::Program &program) const {
  std::map<int64_t, int64_t> bytes;
  for (const isa::State &state : program.states)
    if (state.policy == isa::StatePolicy::Ring)
      bytes[isa::kFirstCallerRegion + state.oldBuffer] =
          program.slots[size_t(state.current)];
  return bytes;
}

Result<std::vector<eval::Tensor>> SimulatedStates::oldValues() const {
  if (about->states.empty())
    return std::vector<eval::Tensor>();
  if (Status status = block().checkValues(); !status)
    return status.takeError();
  std::vector<eval::Tensor> values;
  for (size_t i = 0; i < about->states.size(); ++i) {
    if (!about->states[i].isRead)
      continue;
    const runtime::TensorInterface &type = about->states[i].tensor;
    eval::Tensor &value =
        values.emplace_back(type.shape, type.element, type.quant, nullptr);
    value.allocate();
    block().readValue(i, value.storage.get());
  }
  return values;
}

void SimulatedStates::setNewValues(std::span<const eval::Tensor> values) {
  size_t next = 0;
  for (size_t i = 0; i < about->states.size(); ++i)
    if (about->states[i].isWritten) {
      const eval::Tensor &value = values[next++];
      std::memcpy(block().newValue(i), value.storage.get(),
                  size_t(value.byteCount()));
    }
}

int64_t SimulatedStates::countOf(size_t state) const {
  int64_t count = 0;
  block().readValue(state, &count);
  return count;
}

void SimulatedStates::setScalars(const isa::Program &program,
                                 std::span<uint8_t> context) const {
  for (size_t i = 0; i < program.states.size(); ++i) {
    int64_t place = program.states[i].counter.scalar;
    if (program.states[i].policy != isa::StatePolicy::Counter || place < 0)
      continue;
    auto word = static_cast<int32_t>(countOf(i));
    std::memcpy(context.data() + program.scalars[size_t(place)].offset, &word,
                sizeof(word));
  }
}

void SimulatedStates::commit(const isa::Program &program) {
  block().commit();
  for (size_t i = 0; i < program.states.size(); ++i) {
    const isa::Counter &counter = program.states[i].counter;
    if (program.states[i].policy != isa::StatePolicy::Counter)
      continue;
    int64_t count = std::min(countOf(i) + counter.step, counter.last);
    block().setValue(i, &count);
  }
}

Status SimulatedStates::bind(const isa::Program &program,
                             std::span<Binding> bindings) const {
  if (about->states.empty())
    return Status::success();
  if (Status status = block().checkValues(); !status)
    return status;
  for (size_t i = 0; i < about->states.size(); ++i) {
    const isa::State &state = program.states[i];
    int64_t before = std::max<int64_t>(-about->states[i].target, 0);
    int64_t bytes = before + about->states[i].touchedBytes();
    if (Binding *binding = findBinding(bindings, state.oldBuffer))
      binding->base += uint64_t(block().cursor(i) - before);
    bindBuffer(bindings, state.oldBuffer, block().oldValue(i), bytes);
    bindBuffer(bindings, state.newBuffer, block().newValue(i), bytes);
  }
  return Status::success();
}
