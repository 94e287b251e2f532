//===- Exponentials.h - fixed-point exponentials of codes -------*- C++ -*-===//

#ifndef TALLY_QUANT_EXPONENTIALS_H
#define TALLY_QUANT_EXPONENTIALS_H

#include <cstdint>
#include <vector>

namespace tally::quant {

/// RHE(2^30 * exp(-scale * d)) for d in [0, count), every entry decided with
/// as much precision as it takes. `scale` is finite and positive and means its
/// exact value.
std::vector<int32_t> exponentials30(float scale, int64_t count);

/// The fp32 exponentials that onnxruntime's QLinearSoftmax sums on lines of
/// `line` codes, by the distance d < 256 of a code from the line's largest:
/// exp(shift * scale - d * scale) in fp64 rounded to fp32, the shift chosen so
/// that no sum overflows:
///
///   (max(0, fl32(log(fl32(FLT_MAX / line))) - 5)) / scale
///
/// exp and log are correctly rounded, where that runtime calls the host's.
std::vector<float> onnxRuntimeExponentials(float scale, int64_t line);

} // namespace tally::quant

#endif // TALLY_QUANT_EXPONENTIALS_H
