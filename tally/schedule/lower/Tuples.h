//===- Tuples.h - slices at tuples of indices -------------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_TUPLES_H
#define TALLY_SCHEDULE_LOWER_TUPLES_H

#include "tally/eval/Tensor.h"
#include "tally/schedule/Scheduler.h"

namespace tally::schedule {

/// Bytes from the data's first element to the slice of each of the tuples
/// [I.., length], whose first `batchDims` dimensions are indices of the data,
/// too. Indices are clamped.
std::vector<int64_t> tupleOffsets(const Tensor &data,
                                  const eval::Tensor &tuples, size_t batchDims);

/// `count` slices of the dimensions from `first` on, `step` bytes apart.
Tensor slicesAt(const Tensor &tensor, int64_t offset, int64_t count,
                int64_t step, size_t first);

/// How many offsets from `first` on have equal distances.
size_t runFrom(llvm::ArrayRef<int64_t> offsets, size_t first);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_TUPLES_H
