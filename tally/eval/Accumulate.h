//===- Accumulate.h - exact integer products of panels ----------*- C++ -*-===//

#ifndef TALLY_EVAL_ACCUMULATE_H
#define TALLY_EVAL_ACCUMULATE_H

#include <cstdint>
#include <vector>

namespace tally::eval {

/// Rows of k integers each, in 16 bits when the range that is promised for
/// them fits, else in 64.
class IntPanel {
public:
  /// Every value will lie in [low, high].
  IntPanel(int64_t rows, int64_t k, int64_t low, int64_t high);

  bool isNarrow() const { return narrowForm; }
  /// Calls fn with a pointer to the first of rows * k values, int16_t or
  /// int64_t; they start as zeros.
  template <typename Fn> void fill(Fn &&fn) {
    if (narrowForm)
      fn(narrow.data());
    else
      fn(wide.data());
  }
  /// Replaces the bounds that follow from the range by those of the values;
  /// worth it for a panel that is used many times.
  void measure();

  int64_t rows, k;
  std::vector<int16_t> narrow; ///< used when isNarrow()
  std::vector<int64_t> wide;   ///< used otherwise
  int64_t maxAbs;              ///< no value is larger in magnitude
  __int128 maxAbsSum;          ///< no row's sum of magnitudes is larger

private:
  bool narrowForm;
};

/// sums[i * b.rows + j] = sum over k of a[i][k] * b[j][k], exact; false when
/// the panels' bounds do not prove that 64 bits hold it.
bool accumulate(const IntPanel &a, const IntPanel &b,
                std::vector<int64_t> &sums);

} // namespace tally::eval

#endif // TALLY_EVAL_ACCUMULATE_H
