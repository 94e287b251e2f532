//===- Accumulate.cpp - exact integer products of panels ------------------===//

#include "tally/eval/Accumulate.h"
#include "tally/eval/Products.h"

#include <algorithm>
#include <cstdlib>

using namespace tally::eval;

IntPanel::IntPanel(int64_t rows, int64_t k)
    : rows(rows), k(k), wide(rows * k) {}

void IntPanel::finish() {
  maxAbs = 0;
  maxAbsSum = 0;
  for (int64_t row = 0; row < rows; ++row) {
    __int128 sum = 0;
    for (int64_t column = 0; column < k; ++column) {
      int64_t magnitude = std::abs(wide[row * k + column]);
      maxAbs = std::max(maxAbs, magnitude);
      sum += magnitude;
    }
    maxAbsSum = std::max(maxAbsSum, sum);
  }
  narrow.clear();
  if (maxAbs <= INT16_MAX)
    narrow.assign(wide.begin(), wide.end());
}

bool tally::eval::accumulate(const IntPanel &a, const IntPanel &b,
                             std::vector<int64_t> &sums) {
  sums.resize(a.rows * b.rows);
  __int128 bound = std::min(a.maxAbsSum * b.maxAbs, b.maxAbsSum * a.maxAbs);
  bool isNarrow = (a.maxAbs == 0 || !a.narrow.empty()) &&
                  (b.maxAbs == 0 || !b.narrow.empty());
  if (bound <= INT32_MAX && isNarrow) {
    std::vector<int32_t> narrow(sums.size());
    productsI16(a.narrow.data(), b.narrow.data(), a.rows, b.rows, a.k,
                narrow.data());
    std::copy(narrow.begin(), narrow.end(), sums.begin());
    return true;
  }
  if (bound > INT64_MAX)
    return false;
  productsI64(a.wide.data(), b.wide.data(), a.rows, b.rows, a.k, sums.data());
  return true;
}
