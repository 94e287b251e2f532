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

} // namespace tally::quant

#endif // TALLY_QUANT_EXPONENTIALS_H
