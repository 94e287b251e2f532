//===- SimulatedGraph.cpp - a graph run as programs of a machine ----------===//

#include "tally/driver/SimulatedGraph.h"
#include "tally/driver/AllNodes.h"
#include "tally/driver/ExplainStates.h"
#include "tally/driver/GraphInterface.h"
#include "tally/driver/NpuCompile.h"
#include "tally/driver/SimulatedProgram.h"
#include "tally/ops/State.h"
#include "tally/rewrite/CleanUp.h"

using namespace tally;

namespace {
/// A program and the tensors that it gives.
struct Part {
  SimulatedProgram program; ///< with states of its own, equal in all parts
  std::vector<runtime::TensorInterface> outputs;
};
} // namespace

/// Leaves the results [first, first + count) of the function, and the new
/// values of states.
static void keepResults(mlir::func::FuncOp function, size_t first,
                        size_t count) {
  mlir::Operation *terminator = function.getBody().front().getTerminator();
  llvm::BitVector dropped(function.getNumResults(), true);
  dropped.reset(unsigned(first), unsigned(first + count));
  dropped.reset(nn::ownResults(function), function.getNumResults());
  terminator->eraseOperands(dropped);
  (void)function.eraseResults(dropped);
}

static Result<Part> partOf(mlir::ModuleOp module,
                           const machine::Machine &machine, size_t first,
                           size_t count) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  mlir::func::FuncOp function = mainFunction(*copy);
  keepResults(function, first, count);
  rewrite::removeDead(function);
  std::vector<runtime::TensorInterface> outputs = outputInterface(function);
  outputs.resize(count);
  auto program = provenProgram(*copy, machine);
  if (!program)
    return program.takeError();
  auto simulated = SimulatedProgram::create(machine, std::move(*program));
  if (!simulated)
    return simulated.takeError();
  return Part{std::move(*simulated), std::move(outputs)};
}

/// Parts that give all results, in their order. Each makes all new values of
/// states, so that a model without other results is one part.
static Result<std::vector<Part>> partsOf(mlir::ModuleOp module,
                                         const machine::Machine &machine) {
  mlir::func::FuncOp function = mainFunction(module);
  constexpr size_t regions = isa::kSram - isa::kFirstCallerRegion;
  size_t all = nn::ownResults(function);
  size_t others = function.getNumArguments() + function.getNumResults() - all;
  size_t most = others < regions ? regions - others : 1;
  std::vector<Part> parts;
  for (size_t first = 0; first < all || parts.empty(); first += most) {
    auto part = partOf(module, machine, first, std::min(most, all - first));
    if (!part)
      return part.takeError();
    parts.push_back(std::move(*part));
  }
  return parts;
}

static Result<std::vector<eval::Tensor>>
runParts(std::vector<Part> &parts, const std::vector<eval::Tensor> &inputs) {
  simulator::RunOptions options;
  options.audit = true;
  std::vector<eval::Tensor> outputs;
  for (Part &part : parts) {
    auto outcome = part.program.run(inputs, options);
    if (!outcome)
      return outcome.takeError();
    if (outcome->fault)
      return outcome->fault->diagnostic();
    auto made = part.program.results(part.outputs);
    outputs.insert(outputs.end(), made.begin(), made.end());
  }
  return outputs;
}

Result<Executable> tally::simulatedExecutable(PhaseRunner &phases,
                                              mlir::ModuleOp module,
                                              const machine::Machine &machine,
                                              Expose expose,
                                              std::optional<int64_t> copies) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  if (Status status = phases.rewrite(*copy); !status)
    return status.takeError();
  if (Status status = phases.fuse(*copy, npuFusion()); !status)
    return status.takeError();
  if (expose == Expose::Kept)
    exposeTensors(mainFunction(*copy));
  Executable executable;
  executable.name = machine.name;
  executable.inputs = inputInterface(mainFunction(*copy));
  executable.outputs = outputInterface(mainFunction(*copy));
  executable.states = statesAbout(mainFunction(*copy));
  executable.givenStates = givenStateInterface(mainFunction(*copy));
  if (Status status = placeStatesForMachine(phases, *copy, machine); !status)
    return status.takeError();
  auto made = partsOf(*copy, machine);
  if (!made)
    return made.takeError();
  for (const Part &part : *made)
    if (Status status =
            checkStateCopies(statesOf(part.program.program()), copies);
        !status)
      return status.takeError();
  auto parts = std::make_shared<std::vector<Part>>(std::move(*made));
  executable.stateValues = [parts] {
    return parts->front().program.states().values();
  };
  executable.setStateValues = [parts](const runtime::NamedTensors &values) {
    for (Part &part : *parts)
      part.program.states().setValues(values);
    return Status::success();
  };
  executable.run = [parts](const std::vector<eval::Tensor> &inputs) {
    return runParts(*parts, inputs);
  };
  return executable;
}
