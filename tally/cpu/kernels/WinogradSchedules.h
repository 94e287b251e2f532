//===- WinogradSchedules.h - schedules of products by squares ---*- C++ -*-===//

#ifndef TALLY_CPU_KERNELS_WINOGRADSCHEDULES_H
#define TALLY_CPU_KERNELS_WINOGRADSCHEDULES_H

#include "tally/cpu/ProductSchedule.h"

namespace tally::cpu {

/// What a schedule that transforms has at a time, and the memory for it.
struct SquareSizes {
  explicit SquareSizes(const ProductSchedule &schedule);

  int64_t lanes, squares, channels;

  /// Words of 32 bits from a point to the next, of codes and of steps.
  int64_t codePitch() const;
  int64_t stepPitch() const;
  /// Of codes, steps, sums and the pixels of a square.
  int64_t bytes() const;
};

/// candidatesOf and costOf (ProductSchedule.h) of schedules that transform;
/// none where a task has no squares.
std::vector<ProductSchedule> squareCandidates(const ProductTask &task);
int64_t squareCost(const ProductTask &task, const ProductSchedule &schedule);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_WINOGRADSCHEDULES_H
