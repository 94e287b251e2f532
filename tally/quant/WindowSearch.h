//===- WindowSearch.h - multiples that fall into a window ------*- C++ -*-===//

#ifndef TALLY_QUANT_WINDOWSEARCH_H
#define TALLY_QUANT_WINDOWSEARCH_H

#include <cstdint>
#include <optional>

namespace tally::quant {

/// The least n in [0, limit] with lo <= (a n) mod m <= hi, or nothing.
/// Requires 0 <= a < m < 2^106, 0 <= lo <= hi < m and limit < 2^18.
std::optional<int64_t> firstInWindow(__int128 a, __int128 m, __int128 lo,
                                     __int128 hi, int64_t limit);

} // namespace tally::quant

#endif // TALLY_QUANT_WINDOWSEARCH_H
