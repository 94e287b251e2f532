//===- LiveBytes.cpp - bytes that each step needs -------------------------===//

#include "tally/cpu/LiveBytes.h"

#include <algorithm>

using namespace tally::cpu;
using tally::plan::memory::Interval;

void LiveBytes::add(Interval range, int64_t more) {
  for (int64_t step = range.begin; step < range.end; ++step)
    bytes[step] += more;
}

int64_t LiveBytes::most(Interval range) const {
  int64_t most = 0;
  for (int64_t step = range.begin; step < range.end; ++step)
    most = std::max(most, bytes[step]);
  return most;
}
