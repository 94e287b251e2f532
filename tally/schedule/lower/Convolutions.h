//===- Convolutions.h - operands of convolutions ----------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_CONVOLUTIONS_H
#define TALLY_SCHEDULE_LOWER_CONVOLUTIONS_H

#include "tally/schedule/lower/Product.h"

namespace tally::schedule {

/// The constant behind a value, or nothing.
std::optional<eval::Tensor> constantOf(mlir::Value value);

/// Refuses grids that the array does not take: it takes 8 bits, and one zero
/// point of all weights.
Status checkGrids(Scheduler &s, mlir::RankedTensorType input,
                  const std::optional<eval::Tensor> &weight);

/// The same elements with channels innermost, by a copy if they are not; those
/// in global memory as they are.
Result<Tensor> channelsLast(Scheduler &s, const Tensor &tensor,
                            mlir::Value value);

/// Pixels of an image of two spatial dimensions, or of one row.
Result<Pixels> imagePixels(Scheduler &s, const Tensor &tensor,
                           int64_t groupChannels);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_CONVOLUTIONS_H
