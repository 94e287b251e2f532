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

/// Parts of an operation's kernel: one when it has less than leastSplit to do,
/// as guessed from its products of bytes and its elements.
int64_t partsOf(mlir::Operation *op, Tier tier, const CpuOptions &options);

} // namespace tally::cpu

#endif // TALLY_CPU_MOSTPARTS_H
