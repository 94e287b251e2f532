//===- SimulateOnTensors.cpp - a program run on tensors -------------------===//

#include "tally/driver/SimulateOnTensors.h"
#include "tally/emit/isa/Config.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace tally;

static std::span<uint8_t> bytesOf(const eval::Tensor &tensor) {
  return {reinterpret_cast<uint8_t *>(tensor.storage.get()),
          size_t(tensor.byteCount())};
}

/// Binds the inputs and outputs of the program, which are in its order.
static void bindTensors(const isa::Program &program,
                        const std::vector<eval::Tensor> &inputs,
                        const std::vector<eval::Tensor> &outputs,
                        std::vector<simulator::Binding> &bindings) {
  auto input = inputs.begin(), output = outputs.begin();
  for (auto [place, buffer] : llvm::enumerate(program.buffers)) {
    if (isa::isOfState(buffer.use))
      continue;
    std::span<uint8_t> bytes =
        bytesOf(buffer.use == isa::BufferUse::Input ? *input++ : *output++);
    for (simulator::Binding &binding : bindings)
      if (binding.region == isa::kFirstCallerRegion + int64_t(place))
        binding.bytes = bytes;
  }
}

Result<std::vector<eval::Tensor>> tally::simulateOnTensors(
    const isa::Program &program, const machine::Machine &machine,
    const std::vector<eval::Tensor> &inputs, std::vector<eval::Tensor> outputs,
    const simulator::RunOptions &options, const SimulatedStates *states) {
  auto created = simulator::Simulator::create(machine, program);
  if (!created)
    return created.takeError();
  auto bindings = (*created)->place();
  if (!bindings)
    return bindings.takeError();
  std::vector<eval::Tensor> copies = inputs;
  for (auto [copy, input] : llvm::zip(copies, inputs)) {
    copy.allocate(); // the caller's may share bytes
    std::memcpy(copy.storage.get(), input.storage.get(),
                size_t(input.byteCount()));
  }
  for (eval::Tensor &output : outputs)
    output.allocate();
  bindTensors(program, copies, outputs, *bindings);
  if (states)
    if (Status status = states->bind(program, *bindings); !status)
      return status.takeError();
  auto outcome = (*created)->run(*bindings, options);
  if (!outcome)
    return outcome.takeError();
  if (outcome->fault)
    return outcome->fault->diagnostic();
  return outputs;
}
