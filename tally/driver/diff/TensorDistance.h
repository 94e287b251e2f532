//===- TensorDistance.h - how far two tensors are apart ---------*- C++ -*-===//

#ifndef TALLY_DRIVER_DIFF_TENSORDISTANCE_H
#define TALLY_DRIVER_DIFF_TENSORDISTANCE_H

#include "tally/eval/Tensor.h"
#include "tally/report/Differences.h"

namespace tally {

/// Counts, histogram and signal-to-noise ratio of two tensors of the same type;
/// names and rules are left empty. Floats differ when their bits do, except
/// that all NaNs are equal.
report::TensorDifference distance(const eval::Tensor &ours,
                                  const eval::Tensor &reference);

/// Along the last dimension (at least 1 long): in how many rows the largest
/// value stands at the same place. Of equal values the first counts.
report::DecisionAgreement decisionAgreement(const eval::Tensor &ours,
                                            const eval::Tensor &reference);

} // namespace tally

#endif // TALLY_DRIVER_DIFF_TENSORDISTANCE_H
