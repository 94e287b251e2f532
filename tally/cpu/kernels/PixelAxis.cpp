//===- PixelAxis.cpp - one spatial dimension of a convolution -------------===//

#include "tally/cpu/kernels/PixelAxis.h"

#include <algorithm>

using namespace tally::cpu;

/// ceil(a / b) for b > 0.
static int64_t ceilDiv(int64_t a, int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

int64_t PixelAxis::first(int64_t phase) const {
  return std::clamp<int64_t>(ceilDiv(pad - phase, stride), 0, pitch());
}

int64_t PixelAxis::last(int64_t phase) const {
  return std::clamp<int64_t>(ceilDiv(input + pad - phase, stride), first(phase),
                             pitch());
}

std::set<int64_t> PixelAxis::phases() const {
  std::set<int64_t> phases;
  for (int64_t tap = 0; tap < kernel; ++tap)
    phases.insert(tap * dilation % stride);
  return phases;
}
