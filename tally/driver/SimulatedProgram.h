//===- SimulatedProgram.h - a program on tensors ----------------*- C++ -*-===//
//
// A program in the simulator as something that takes tensors and gives tensors:
// buffers, their bases, the context and the states are its own.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_SIMULATEDPROGRAM_H
#define TALLY_DRIVER_SIMULATEDPROGRAM_H

#include "tally/driver/SimulatedStates.h"
#include "tally/run/simulator/Simulator.h"
#include "tally/runtime/Interface.h"

#include <map>

namespace tally {

class SimulatedProgram {
public:
  /// Fails as Simulator::create does.
  static Result<SimulatedProgram> create(machine::Machine machine,
                                         isa::Program program);

  const machine::Machine &machine() const { return simulator->machine(); }
  const isa::Program &program() const { return simulator->program(); }
  /// The caller's buffers as tensors, states apart.
  std::vector<runtime::TensorInterface> inputs() const, outputs() const;

  /// Sets a run-time scalar for the runs to come; false where the program has
  /// none of that name, or counts it itself.
  bool setScalar(const std::string &name, int32_t value);

  /// What goes on from run to run.
  SimulatedStates &states() { return theStates; }

  /// One run on tensors that have the bytes of `inputs()`. Fails where the
  /// program cannot start, RUN-24 among others; a fault is part of the outcome,
  /// and leaves the states as they were where their policies allow.
  Result<simulator::Outcome> run(const std::vector<eval::Tensor> &inputs,
                                 const simulator::RunOptions &options);
  /// What the last run made; each has the type of `about`, one for each output
  /// and of its bytes.
  std::vector<eval::Tensor>
  results(const std::vector<runtime::TensorInterface> &about) const;

private:
  explicit SimulatedProgram(std::unique_ptr<simulator::Simulator> simulator);
  void fill(const std::vector<eval::Tensor> &inputs);

  std::unique_ptr<simulator::Simulator> simulator;
  SimulatedStates theStates;
  std::vector<uint8_t> context;
  std::map<int64_t, std::vector<uint8_t>> buffers; ///< by region
};

/// One run on inputs. `outputs` say what the outputs are; they come back with
/// storage. A fault of the simulator is a failure.
Result<std::vector<eval::Tensor>>
simulateOnTensors(const isa::Program &program, const machine::Machine &machine,
                  const std::vector<eval::Tensor> &inputs,
                  const std::vector<eval::Tensor> &outputs,
                  const simulator::RunOptions &options);

} // namespace tally

#endif // TALLY_DRIVER_SIMULATEDPROGRAM_H
