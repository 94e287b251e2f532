//===- LineGroup.h - several lines of floats in step ------------*- C++ -*-===//
//
// In a sum or a maximum of one line each step waits for the one before. Lines
// in step have such chains of their own, so that a core works on one while it
// waits for another:
//
//     for each sixteen elements:   s0 += line 0;  s1 += line 1;  s2 += ...
//
// The order of a line's own sum stays the pinned one (quant/pinned/Sum.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LOWER_LINEGROUP_H
#define TALLY_CPU_LOWER_LINEGROUP_H

#include "tally/cpu/lower/Lanes.h"

namespace tally::cpu {

/// How many lines of n elements are worked on together: enough chains to fill
/// the time that an addition takes, as registers allow, and at most as many as
/// the nearest cache holds.
int64_t linesInStep(Tier tier, int64_t n);

/// Calls body(first line, lines) for all of [0, count), linesInStep at a time.
void forEachGroup(KernelBuilder &k, int64_t count, int64_t n,
                  llvm::function_ref<void(Value first, int64_t lines)> body);

/// A line's length in memory of a kernel's own: whole vectors, so that what
/// stands behind its end may be written and read.
int64_t paddedLine(int64_t n);

/// Lines of operand 0 along an axis, by number: line l begins at element
/// l / inner * inner * n + l % inner, and its elements are `inner` apart. Lines
/// kept as codes (CodeReaders.h) become floats when they are loaded.
class LineGroup {
public:
  /// Lines [first, first + lines), ready to be loaded. Those whose elements are
  /// no neighbours are copied first.
  LineGroup(KernelBuilder &k, int64_t n, int64_t inner, Value first,
            int64_t lines);

  /// Elements [i, i + lanes) of line `line` of the group, or element i when
  /// `lanes` is 0, as they are stored or as floats.
  Value loadStored(Value line, Value i, int64_t lanes = kLineLanes) const;
  Value load(Value line, Value i, int64_t lanes = kLineLanes) const {
    return real(loadStored(line, i, lanes));
  }
  mlir::Type storedType() const;
  /// What stored elements are as floats.
  Value real(Value stored) const;
  /// The place of an element in the operand, and of the result's like it.
  Value element(Value line, Value i) const;

  const int64_t n, inner, lines;
  const std::optional<eval::Tensor> codes; ///< their grid, where kept as codes

private:
  Value start(Value line) const;
  void copy();

  KernelBuilder &k;
  Value first, input, copied;
};

/// A step along lines: what is carried, vectors of sixteen, after elements
/// [i, i + lanes).
using LineStep = llvm::function_ref<llvm::SmallVector<Value>(
    Value i, int64_t lanes, ValueRange carried)>;

/// Carries vectors of sixteen through the elements of lines of length n, `most`
/// at a time where they divide n, else sixteen. Lanes beyond the end are not
/// loaded (KernelBuilder::usingLanes) and keep what they carried.
llvm::SmallVector<Value> carryAlong(KernelBuilder &k, int64_t n,
                                    llvm::ArrayRef<Value> start, LineStep next,
                                    int64_t most = kLineLanes);

/// Lanes of four registers: long chains of operations, one in each, wait for
/// themselves a good part of the time when they are alone.
int64_t lanesOfLongSteps(Tier tier);

/// The sixteen lanes of `carried` with those of a multiple of sixteen, in
/// order.
Value foldLanes(KernelBuilder &k, Value carried, Value lanes,
                LaneCombine combine);

/// The pinned reduction (Lanes.h, reduceLanes) of each of `lines` lines, in
/// step; `step` adds elements [i, i + 16) of one to its partials.
llvm::SmallVector<Value>
reduceInStep(KernelBuilder &k, int64_t n, int64_t lines, float start,
             llvm::function_ref<Value(FloatMath &math, int64_t line,
                                      Value partials, Value i)>
                 step,
             LaneCombine combine);

/// Calls body(i, count) for all of [0, n): elements [i, i + count) as the first
/// lanes of a vector of sixteen.
void forEachStretch(KernelBuilder &k, int64_t n,
                    llvm::function_ref<void(Value i, int64_t count)> body);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_LINEGROUP_H
