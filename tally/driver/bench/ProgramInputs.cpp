//===- ProgramInputs.cpp - data for a program that is measured ------------===//

#include "tally/driver/bench/ProgramInputs.h"
#include "tally/driver/tensors/InputFiles.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally;

Result<std::vector<eval::Tensor>>
bench::programInputs(runtime::Context &program,
                     const std::vector<std::string> &files, uint64_t seed) {
  const runtime::Interface &about = program.interface();
  std::vector<runtime::TensorInterface> wanted = about.inputs;
  std::vector<size_t> given;
  for (auto [i, state] : llvm::enumerate(about.states))
    if (!state.initial) {
      wanted.push_back(state.tensor);
      given.push_back(i);
    }
  auto tensors = readInputs(wanted, files, seed);
  if (!tensors)
    return tensors;
  for (auto [i, state] : llvm::enumerate(given)) {
    const eval::Tensor &value = (*tensors)[about.inputs.size() + i];
    if (Status status = program.setState(state, value.storage.get()); !status)
      return status.takeError();
  }
  tensors->resize(about.inputs.size());
  return tensors;
}
