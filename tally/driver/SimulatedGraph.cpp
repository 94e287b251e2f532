//===- SimulatedGraph.cpp - a graph run as programs of a machine ----------===//

#include "tally/driver/SimulatedGraph.h"
#include "tally/driver/AllNodes.h"
#include "tally/driver/GraphInterface.h"
#include "tally/driver/NpuCompile.h"
#include "tally/driver/SimulatedProgram.h"

using namespace tally;

namespace {
/// A program and the tensors that it gives.
struct Part {
  isa::Program program;
  std::vector<eval::Tensor> outputs; ///< without storage
};
} // namespace

/// Leaves the results [first, first + count) of the function.
static void keepResults(mlir::func::FuncOp function, size_t first,
                        size_t count) {
  mlir::Operation *terminator = function.getBody().front().getTerminator();
  llvm::BitVector dropped(function.getNumResults(), true);
  dropped.reset(unsigned(first), unsigned(first + count));
  terminator->eraseOperands(dropped);
  (void)function.eraseResults(dropped);
}

static Result<Part> partOf(mlir::ModuleOp module,
                           const machine::Machine &machine, size_t first,
                           size_t count) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  mlir::func::FuncOp function = mainFunction(*copy);
  keepResults(function, first, count);
  Part part;
  for (mlir::Type type : function.getResultTypes())
    part.outputs.push_back(
        nn::describe(llvm::cast<mlir::RankedTensorType>(type)));
  auto program = provenProgram(*copy, machine);
  if (!program)
    return program.takeError();
  part.program = std::move(*program);
  return part;
}

/// Parts that give all results, in their order.
static Result<std::vector<Part>> partsOf(mlir::ModuleOp module,
                                         const machine::Machine &machine) {
  mlir::func::FuncOp function = mainFunction(module);
  constexpr size_t regions = isa::kSram - isa::kFirstCallerRegion;
  size_t all = function.getNumResults(), inputs = function.getNumArguments();
  size_t most = inputs < regions ? regions - inputs : 1;
  std::vector<Part> parts;
  for (size_t first = 0; first < all; first += most) {
    auto part = partOf(module, machine, first, std::min(most, all - first));
    if (!part)
      return part.takeError();
    parts.push_back(std::move(*part));
  }
  return parts;
}

static Result<std::vector<eval::Tensor>>
runParts(const std::vector<Part> &parts, const machine::Machine &machine,
         const std::vector<eval::Tensor> &inputs) {
  simulator::RunOptions options;
  options.audit = true;
  std::vector<eval::Tensor> outputs;
  for (const Part &part : parts) {
    auto made =
        simulateOnTensors(part.program, machine, inputs, part.outputs, options);
    if (!made)
      return made.takeError();
    outputs.insert(outputs.end(), made->begin(), made->end());
  }
  return outputs;
}

Result<Executable> tally::simulatedExecutable(PhaseRunner &phases,
                                              mlir::ModuleOp module,
                                              const machine::Machine &machine,
                                              Expose expose) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  if (Status status = phases.rewrite(*copy); !status)
    return status.takeError();
  if (Status status = phases.fuse(*copy, npuFusion()); !status)
    return status.takeError();
  if (expose == Expose::Kept)
    exposeTensors(mainFunction(*copy));
  auto parts = partsOf(*copy, machine);
  if (!parts)
    return parts.takeError();
  Executable executable;
  executable.name = machine.name;
  executable.inputs = inputInterface(mainFunction(*copy));
  executable.outputs = outputInterface(mainFunction(*copy));
  executable.run = [parts =
                        std::make_shared<std::vector<Part>>(std::move(*parts)),
                    machine](const std::vector<eval::Tensor> &inputs) {
    return runParts(*parts, machine, inputs);
  };
  return executable;
}
