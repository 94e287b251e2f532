//===- Steps.h - several runs, one after the other --------------*- C++ -*-===//

#ifndef TALLY_DRIVER_STEPS_H
#define TALLY_DRIVER_STEPS_H

#include "tally/driver/CommandLine.h"
#include "tally/eval/Tensor.h"

namespace tally {

/// `--steps N` of `tally run`; nothing where it is not given. CLI-3.
Result<std::optional<int64_t>> parseSteps(const Arguments &arguments);

/// The tensors of all steps, at least one, as one with the step as its first
/// index.
eval::Tensor stackSteps(const std::vector<eval::Tensor> &steps);

} // namespace tally

#endif // TALLY_DRIVER_STEPS_H
