//===- Accumulate.h - exact integer products of panels ----------*- C++ -*-===//

#ifndef TALLY_EVAL_ACCUMULATE_H
#define TALLY_EVAL_ACCUMULATE_H

#include <cstdint>
#include <vector>

namespace tally::eval {

/// Rows of k integers each, narrowed to 16 bits when every value fits.
class IntPanel {
public:
  IntPanel(int64_t rows, int64_t k);

  void set(int64_t row, int64_t column, int64_t value) {
    wide[row * k + column] = value;
  }
  /// Call after the last set: finds the bounds and the narrow form.
  void finish();

  int64_t rows, k;
  std::vector<int64_t> wide;
  std::vector<int16_t> narrow; ///< empty when a value does not fit
  int64_t maxAbs = 0;          ///< of any value
  __int128 maxAbsSum = 0;      ///< of any row's sum of absolute values
};

/// sums[i * b.rows + j] = sum over k of a[i][k] * b[j][k]. Picks 32-bit sums
/// when the panels' bounds prove that they cannot overflow, else 64-bit ones;
/// false when not even those are proven.
bool accumulate(const IntPanel &a, const IntPanel &b,
                std::vector<int64_t> &sums);

} // namespace tally::eval

#endif // TALLY_EVAL_ACCUMULATE_H
