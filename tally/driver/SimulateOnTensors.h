//===- SimulateOnTensors.h - a program run on tensors -----------*- C++ -*-===//

#ifndef TALLY_DRIVER_SIMULATEONTENSORS_H
#define TALLY_DRIVER_SIMULATEONTENSORS_H

#include "tally/driver/SimulatedStates.h"
#include "tally/eval/Tensor.h"
#include "tally/run/simulator/Simulator.h"

namespace tally {

/// Runs a program on inputs. `outputs` say what its outputs are; they come back
/// with storage. A fault of the simulator is a failure. A program with states
/// reads and writes `states`, which the caller commits.
Result<std::vector<eval::Tensor>>
simulateOnTensors(const isa::Program &program, const machine::Machine &machine,
                  const std::vector<eval::Tensor> &inputs,
                  std::vector<eval::Tensor> outputs,
                  const simulator::RunOptions &options,
                  const SimulatedStates *states = nullptr);

} // namespace tally

#endif // TALLY_DRIVER_SIMULATEONTENSORS_H
