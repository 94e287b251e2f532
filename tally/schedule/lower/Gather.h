//===- Gather.h - slices picked by indices of a run -------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_GATHER_H
#define TALLY_SCHEDULE_LOWER_GATHER_H

#include "tally/schedule/lower/Steps.h"

namespace tally::schedule {

/// Dimensions of a gather: data A.., axis, B..; indices I..; result A.., I..,
/// B.. .
struct Gathering {
  int64_t axis = 0, rank = 0; ///< of the data
  int64_t indexRank = 0;
};

/// Indices in [0, size): negative ones count from the end, what then lies
/// outside is clamped.
Tensor clampedIndices(Steps &v, const Tensor &indices, int64_t size);

/// A gather from many slices, on the matrix engine. NPU-10 (Unsupported) if
/// that does not multiply unsigned bytes.
Result<PiecewiseNode> prepareOneHotGather(Scheduler &s, nn::GatherOp node,
                                          const Gathering &gathering);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_GATHER_H
