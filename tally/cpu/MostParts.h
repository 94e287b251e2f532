//===- MostParts.h - into how many parts work is split ----------*- C++ -*-===//

#ifndef TALLY_CPU_MOSTPARTS_H
#define TALLY_CPU_MOSTPARTS_H

#include "tally/cpu/CpuCompiler.h"

namespace tally::cpu {

/// Two for each thread: where one core is slower than another, its thread does
/// fewer of them. Memory is planned for as many.
inline int64_t mostParts(const CpuOptions &options) {
  return options.threads == 1 ? 1 : 2 * options.threads;
}

} // namespace tally::cpu

#endif // TALLY_CPU_MOSTPARTS_H
