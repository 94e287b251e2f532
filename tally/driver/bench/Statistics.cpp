//===- Statistics.cpp - what a list of times says -------------------------===//

#include "tally/driver/bench/Statistics.h"

#include <algorithm>
#include <cmath>

using namespace tally::bench;

static double quantile(const std::vector<double> &sorted, double share) {
  double place = share * static_cast<double>(sorted.size() - 1);
  auto below = static_cast<size_t>(place);
  size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above],
                   place - static_cast<double>(below));
}

Spread tally::bench::spreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), quantile(values, 0.25), quantile(values, 0.5),
          quantile(values, 0.75)};
}
