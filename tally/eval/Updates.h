//===- Updates.h - elements combined one after the other --------*- C++ -*-===//

#ifndef TALLY_EVAL_UPDATES_H
#define TALLY_EVAL_UPDATES_H

#include "tally/eval/Tensor.h"

namespace tally::eval {

/// What an update does to the element that is there.
enum class UpdateKind { Replace, Add, Mul, Min, Max };

/// Combines element `to` of `out` with element `from` of `updates` (one plain
/// element type): one operation of that type. Integers wrap; f16 and bf16
/// are computed in f32 and rounded once; NaN wins Min and Max, and of equal
/// numbers the old one stays.
void update(UpdateKind kind, Tensor &out, int64_t to, const Tensor &updates,
            int64_t from);

} // namespace tally::eval

#endif // TALLY_EVAL_UPDATES_H
