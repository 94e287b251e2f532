//===- Accumulate.cpp - exact integer products of panels ------------------===//
//
// Products of 16-bit values are summed in 32 bits over runs of k that are
// short enough never to overflow, and the runs are summed in 64 bits. With
// 8-bit codes a run is at least 33,025 terms long, with 16-bit activations and
// 8-bit weights 258.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Accumulate.h"
#include "tally/eval/Products.h"

#include <algorithm>
#include <cstdlib>

using namespace tally::eval;

/// Below this length the wide form is as good.
static constexpr int64_t kShortestRun = 16;

IntPanel::IntPanel(int64_t rows, int64_t k, int64_t low, int64_t high)
    : rows(rows), k(k), maxAbs(std::max(std::abs(low), std::abs(high))),
      maxAbsSum((__int128)maxAbs * k),
      narrowForm(low >= INT16_MIN && high <= INT16_MAX) {
  if (narrowForm)
    narrow.resize(rows * k);
  else
    wide.resize(rows * k);
}

void IntPanel::measure() {
  maxAbs = 0;
  maxAbsSum = 0;
  fill([&](const auto *values) {
    for (int64_t row = 0; row < rows; ++row) {
      __int128 sum = 0;
      for (int64_t i = row * k; i < (row + 1) * k; ++i) {
        int64_t magnitude = std::abs(static_cast<int64_t>(values[i]));
        maxAbs = std::max(maxAbs, magnitude);
        sum += magnitude;
      }
      maxAbsSum = std::max(maxAbsSum, sum);
    }
  });
}

static std::vector<int64_t> widened(const IntPanel &panel) {
  return {panel.narrow.begin(), panel.narrow.end()};
}

static void accumulateWide(const IntPanel &a, const IntPanel &b,
                           std::vector<int64_t> &sums) {
  std::vector<int64_t> wideA, wideB;
  if (a.isNarrow())
    wideA = widened(a);
  if (b.isNarrow())
    wideB = widened(b);
  productsI64(a.isNarrow() ? wideA.data() : a.wide.data(),
              b.isNarrow() ? wideB.data() : b.wide.data(), a.rows, b.rows, a.k,
              sums.data());
}

bool tally::eval::accumulate(const IntPanel &a, const IntPanel &b,
                             std::vector<int64_t> &sums) {
  sums.resize(a.rows * b.rows);
  __int128 bound = std::min(a.maxAbsSum * b.maxAbs, b.maxAbsSum * a.maxAbs);
  if (bound > INT64_MAX)
    return false;
  int64_t largest = std::max<int64_t>(a.maxAbs * b.maxAbs, 1);
  int64_t run = bound <= INT32_MAX ? a.k : INT32_MAX / largest;
  bool isNarrow =
      a.isNarrow() && b.isNarrow() && (run >= kShortestRun || run >= a.k);
  if (isNarrow)
    productsI16(a.narrow.data(), b.narrow.data(), a.rows, b.rows, a.k, run,
                sums.data());
  else
    accumulateWide(a, b, sums);
  return true;
}
