//===- Lanes.h - lines of floats, sixteen at a time -------------*- C++ -*-===//
//
// Reductions and normalizations work along lines: n elements of a memref, some
// stride apart. Their bodies are written once and emitted twice, for vectors
// of sixteen lanes and for the scalars that are left over.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LOWER_LANES_H
#define TALLY_CPU_LOWER_LANES_H

#include "tally/cpu/FloatMath.h"

namespace tally::cpu {

inline constexpr int64_t kLineLanes = 16; ///< the pinned sum's partial sums

/// Element i of a line is memref[base + i * stride], or, with `offsets` (a
/// memref of i32), memref[base + offsets[i]]. The memref is flat f32.
struct FloatLine {
  Value memref;
  Value base;
  int64_t stride = 1;
  Value offsets = {};
  /// Sixteen lines at once, each one element behind the last: an element is a
  /// vector of theirs.
  bool isAcross = false;
};

/// Elements [i, i + lanes) of a line as a vector, or element i when `lanes` is
/// 0 (always, of lines across); and back.
Value loadLine(KernelBuilder &k, const FloatLine &line, Value i, int64_t lanes);
void storeLine(KernelBuilder &k, const FloatLine &line, Value i, Value value,
               int64_t lanes);

/// A scalar in every lane.
Value spread(KernelBuilder &k, Value scalar, int64_t lanes);

/// Calls body(math, i, lanes) for all of [0, n): vectors, then scalars.
void forEachLane(
    KernelBuilder &k, int64_t n,
    llvm::function_ref<void(FloatMath &math, Value i, int64_t lanes)> body);

/// One step of a lane-wise reduction: the partial with element(s) i added.
using LaneStep = llvm::function_ref<Value(FloatMath &math, Value partial,
                                          Value i, int64_t lanes)>;

/// Two partial results as one, lane by lane.
using LaneCombine =
    llvm::function_ref<Value(FloatMath &math, Value a, Value b)>;

/// Sixteen partial results as one number: the tree that ends a pinned sum.
Value combineLanes(KernelBuilder &k, Value partials, LaneCombine combine);

/// Reduces n terms in the pinned order (quant/pinned/Sum.h): sixteen partials
/// from `start`, term i into partial i mod 16, then the tree with `combine`.
/// With `isAcross` terms, partials and result are vectors of sixteen lines.
Value reduceLanes(KernelBuilder &k, int64_t n, float start, LaneStep step,
                  LaneCombine combine, bool isAcross = false);

/// The pinned sum of terms given by a step that adds.
Value pinnedSum(KernelBuilder &k, int64_t n, LaneStep step,
                bool isAcross = false);

/// The pinned sum of a line's elements.
Value lineSum(KernelBuilder &k, const FloatLine &line, int64_t n);

/// The largest element of a line; NaN when there is one, -infinity without
/// elements.
Value lineMaximum(KernelBuilder &k, const FloatLine &line, int64_t n);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_LANES_H
