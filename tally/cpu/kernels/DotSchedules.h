//===- DotSchedules.h - schedules of products of bytes ----------*- C++ -*-===//

#ifndef TALLY_CPU_KERNELS_DOTSCHEDULES_H
#define TALLY_CPU_KERNELS_DOTSCHEDULES_H

#include "tally/cpu/CpuCompiler.h"

namespace tally::cpu {

/// 32-bit sums in a register.
int64_t registerLanesOf(Tier tier);

/// Whether products are of 16 bits, of terms 0 and 2, then 1 and 3 of a word.
bool hasHalves(Tier tier);

/// candidatesOf and costOf (ProductSchedule.h) of products in vectors.
std::vector<ProductSchedule> dotCandidates(const ProductTask &task);
int64_t dotCost(const ProductTask &task, const ProductSchedule &schedule);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_DOTSCHEDULES_H
