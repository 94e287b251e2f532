//===- ClockMarks.h - code that times its own kernels -----------*- C++ -*-===//

#ifndef TALLY_CPU_CLOCKMARKS_H
#define TALLY_CPU_CLOCKMARKS_H

#include "tally/cpu/CpuCompiler.h"

namespace tally::cpu {

/// Where a run leaves what a counter of even pace read (x86-64: the time stamp
/// counter, AArch64: the virtual counter): one 64-bit number in front of each
/// kernel and one behind the last.
struct ClockMarks {
  int64_t offset = 0; ///< into the arena, in bytes
  /// Of each kernel, in order: its stage (Interface::stages).
  std::vector<size_t> stages;
};

struct MarkedObject {
  CompiledObject compiled;
  ClockMarks marks;
};

/// Like compile; the code also reads the clock between kernels. What it
/// computes, and the kernels, are the same; the arena has room for the marks,
/// which a budget does not count.
Result<MarkedObject> compileMarked(mlir::ModuleOp module,
                                   const CpuOptions &options);

} // namespace tally::cpu

#endif // TALLY_CPU_CLOCKMARKS_H
