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

Result<std::vector<eval::Tensor>> tally::simulateOnTensors(
    const isa::Program &program, const machine::Machine &machine,
    const std::vector<eval::Tensor> &inputs, std::vector<eval::Tensor> outputs,
    const simulator::RunOptions &options) {
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
  std::vector<eval::Tensor> buffers = copies;
  buffers.insert(buffers.end(), outputs.begin(), outputs.end());
  for (simulator::Binding &binding : *bindings)
    if (binding.region >= isa::kFirstCallerRegion)
      binding.bytes =
          bytesOf(buffers[size_t(binding.region - isa::kFirstCallerRegion)]);
  auto outcome = (*created)->run(*bindings, options);
  if (!outcome)
    return outcome.takeError();
  if (outcome->fault)
    return outcome->fault->diagnostic();
  return outputs;
}
