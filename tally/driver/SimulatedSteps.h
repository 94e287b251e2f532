//===- SimulatedSteps.h - steps of what runs in the simulator ---*- C++ -*-===//
//
// `tally run` with --steps, --state-in and --state-out, of a program or of a
// model in segments.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_SIMULATEDSTEPS_H
#define TALLY_DRIVER_SIMULATEDSTEPS_H

#include "tally/driver/CommandLine.h"
#include "tally/driver/SimulatedStates.h"

#include <functional>

namespace tally {

class SimulatedSteps {
public:
  /// Both outlive it.
  SimulatedSteps(const Arguments &arguments, SimulatedStates &states)
      : arguments(arguments), states(states) {}

  /// What the options ask for: RUN-21, and the rules of the files.
  Status prepare();

  /// Data of `inputs`, and then of the states that the caller gives unless they
  /// are restored, for all steps.
  Result<std::vector<eval::Tensor>>
  readData(const std::vector<runtime::TensorInterface> &inputs) const;

  /// One run on tensors for `inputs`.
  using Once = std::function<Result<std::vector<eval::Tensor>>(
      const std::vector<eval::Tensor> &)>;
  /// All steps on `data`; outputs of several steps are stacked.
  Result<std::vector<eval::Tensor>>
  run(const std::vector<runtime::TensorInterface> &inputs,
      const std::vector<eval::Tensor> &data, const Once &once);

  /// --state-out, when all steps are done.
  Status writeStateFile() const;

private:
  void startStates(const std::vector<eval::Tensor> &given);

  const Arguments &arguments;
  SimulatedStates &states;
  std::optional<int64_t> steps; ///< nothing: one, not counted
  std::optional<runtime::NamedTensors> restored;
};

} // namespace tally

#endif // TALLY_DRIVER_SIMULATEDSTEPS_H
