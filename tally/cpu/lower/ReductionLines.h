//===- ReductionLines.h - what a reduction walks along ----------*- C++ -*-===//
//
// One loop nest over the kept dimensions; per output a line of terms. Reduced
// dimensions that are neighbours make a line of one stride, any others a table
// of offsets.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LOWER_REDUCTIONLINES_H
#define TALLY_CPU_LOWER_REDUCTIONLINES_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

enum class ReductionKind {
  Sum,
  Mean,
  Max,
  Min,
  Prod,
  L1,
  L2,
  SumSquare,
  LogSum,
  LogSumExp
};

/// The lines of a reduction.
struct ReductionLines {
  ReductionLines(KernelBuilder &k, llvm::ArrayRef<int64_t> axes);

  /// Calls body(first element of the line, result element) in loops.
  void forEach(KernelBuilder &k,
               llvm::function_ref<void(Value base, Value result)> body) const;
  /// Flat element of term i of a line.
  Value element(KernelBuilder &k, Value base, Value i) const {
    if (!offsets)
      return k.addIndex(base, k.mulIndex(i, stride));
    return k.addIndex(base, k.toIndex(k.load(offsets, i), false));
  }

  /// Neighbouring lines whose elements are neighbours.
  int64_t sideBySide() const {
    return !kept.empty() && keptStrides.back() == 1 ? kept.back() : 0;
  }
  /// Whether line l is elements [l * n, l * n + n), more than one, and its
  /// result element l.
  bool areRows() const;
  /// The first of every `size` lines side by side; what is left over is not.
  ReductionLines firstOfBlocks(int64_t size) const;
  /// Of lines side by side, those from `first` on.
  ReductionLines from(int64_t first) const;

  eval::Shape kept, keptStrides; ///< of the dimensions that stay
  eval::Shape resultStrides;     ///< of the result for these
  int64_t skipped = 0;           ///< lines before the first
  int64_t n = 1, stride = 1;
  Value offsets; ///< i32, when one stride does not do
};

/// KernelBuilder::fold, without a body that never runs.
Value foldTerms(KernelBuilder &k, int64_t n, Value start,
                llvm::function_ref<Value(Value i, Value carried)> step);

/// Reduces the lines of floats of operand 0, in the pinned order.
void reduceFloats(KernelBuilder &k, ReductionKind kind,
                  const ReductionLines &lines);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_REDUCTIONLINES_H
