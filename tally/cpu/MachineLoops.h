//===- MachineLoops.h - what one core can do at most ------------*- C++ -*-===//
//
// Loops that do nothing but multiply and add in registers, or read memory, as
// fast as a tier's instructions allow. How long they take is the ruler for a
// network's time. They are made by the same back end as kernels, for the tier
// that is asked for, whatever the compiler of this source was told.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_MACHINELOOPS_H
#define TALLY_CPU_MACHINELOOPS_H

#include "tally/cpu/CpuCompiler.h"

namespace tally::cpu {

enum class MachineLoop {
  IntegerProducts, ///< unsigned by signed bytes into 32 bits
  FloatProducts,   ///< 32-bit floats
  Read,            ///< of memory, in order
};

/// Vectors of data that the product loops read before they begin: one for each
/// accumulator, then two factors. Each has kLoopVectorBytes, of which a tier
/// uses the first.
inline constexpr int kLoopAccumulators = 12;
inline constexpr int kLoopVectors = kLoopAccumulators + 2;
inline constexpr int64_t kLoopVectorBytes = 64;
/// Bytes that one round of MachineLoop::Read reads.
inline constexpr int64_t kReadBytes = 256;

/// The sums that a product loop has: those of the first vectors, each of which
/// is all rows of a tile where there are tiles.
int loopSums(MachineLoop loop, Tier tier);

/// Multiply-adds of one round of a product loop.
int64_t multiplyAddsPerRound(MachineLoop loop, Tier tier);

/// The loop as a program of inputs `rounds` (one int64, at least 1) and `data`
/// (kLoopVectors vectors, or `rounds` times kReadBytes; aligned to 64 bytes),
/// output `result` (kLoopVectors vectors), without an arena. The result has the
/// accumulators, so that nothing is computed in vain.
Result<CompiledObject> compileLoop(MachineLoop loop, Tier tier);

} // namespace tally::cpu

#endif // TALLY_CPU_MACHINELOOPS_H
