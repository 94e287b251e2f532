//===- WinogradTransforms.h - 3x3 convolutions by squares -------*- C++ -*-===//
//
// A square of 4 x 4 results of a 3 x 3 convolution with stride 1 by 36 products
// for each pair of channels instead of 144, in whole numbers and exact. With
// codes d (a patch of 6 x 6) and steps g (3 x 3) of a channel,
//
//     V = B^T d B    U = G g G^T    M = sum over channels of V x U, point by
//     results = A^T M A                                             point
//
// The transforms are those of Toom and Cook for the points 0, 1, -1, 2, -2 and
// infinity, as S. Winograd (Arithmetic Complexity of Computations, 1980) and
// A. Lavin and S. Gray (Fast Algorithms for Convolutional Neural Networks,
// 2015, F(4x4, 3x3)) give them. There G has fractions. Here its rows are
// multiplied by 4, -6, -6, 24, 24 and 1, and A^T makes up for that:
//
//            4  0 -5  0  1  0          1  0  0         6 -4 -4  1  1  0
//            0 -4 -4  1  1  0          1  1  1         0 -2  2  1 -1  0
//     B^T =  0  4 -4 -1  1  0     G =  1 -1  1   A^T = 0 -1 -1  1  1  0
//            0 -2 -1  2  1  0          1  2  4         0 -1  1  2 -2  6
//            0  2 -1 -2  1  0          1 -2  4
//            0  4  0 -5  0  1          0  0  1
//
// so that line i of results is 24, 12, 6 and 6 times what it should be, and
// result (i, j) is 9 << shift(i) + shift(j) times the convolution's, of shifts
// 3, 2, 1, 1. All of it may wrap in 32 bits: multiplied by the inverse of 9
// modulo 2^32 and shifted back by its sign, a result below 2^25 is right.
//
// The numbers are of any type T, with operations that `Ops` has: add(a, b),
// sub(a, b), and twice(a, n), a times 2^n.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_WINOGRADTRANSFORMS_H
#define TALLY_CPU_KERNELS_WINOGRADTRANSFORMS_H

#include "tally/ops/CodeProblems.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>

namespace tally::cpu {

inline constexpr int64_t kSquare = 4;  ///< results of a square, each way
inline constexpr int64_t kPatch = 6;   ///< codes that they depend on
inline constexpr int64_t kKernel = 3;  ///< steps
inline constexpr int64_t kPoints = 36; ///< products for each pair of channels
inline constexpr uint32_t kInverseOf9 = 0x38e38e39; ///< modulo 2^32
/// Of lines and columns of a square: see above.
inline constexpr std::array<int64_t, kSquare> kResultShifts = {3, 2, 1, 1};

template <typename T, size_t N> using Line = std::array<T, N>;
template <typename T, size_t N> using Square = std::array<Line<T, N>, N>;

/// B^T times a line of codes.
template <typename Ops, typename T>
Line<T, kPatch> transformCodes(const Ops &o, const Line<T, kPatch> &d) {
  T even = o.sub(d[4], d[2]), odd = o.sub(d[3], d[1]);
  T twoOdd = o.twice(odd, 1);
  return {o.add(o.twice(o.sub(d[0], d[2]), 2), even),
          o.sub(o.add(d[3], d[4]), o.twice(o.add(d[1], d[2]), 2)),
          o.add(o.sub(d[4], d[3]), o.twice(o.sub(d[1], d[2]), 2)),
          o.add(even, twoOdd),
          o.sub(even, twoOdd),
          o.sub(o.sub(d[5], d[3]), o.twice(odd, 2))};
}

/// G times a line of steps.
template <typename Ops, typename T>
Line<T, kPatch> transformSteps(const Ops &o, const Line<T, kKernel> &g) {
  T ends = o.add(g[0], g[2]), far = o.add(g[0], o.twice(g[2], 2));
  T twoMiddles = o.twice(g[1], 1);
  return {g[0],
          o.add(ends, g[1]),
          o.sub(ends, g[1]),
          o.add(far, twoMiddles),
          o.sub(far, twoMiddles),
          g[2]};
}

/// A^T times a line of sums.
template <typename Ops, typename T>
Line<T, kSquare> transformSums(const Ops &o, const Line<T, kPatch> &m) {
  T a = o.add(m[1], m[2]), b = o.add(m[3], m[4]);
  T c = o.sub(m[1], m[2]), d = o.sub(m[3], m[4]);
  T first = o.add(o.twice(o.sub(m[0], a), 2), o.twice(m[0], 1));
  T last = o.add(o.add(o.twice(m[5], 1), m[5]), d);
  return {o.add(first, b), o.sub(d, o.twice(c, 1)), o.sub(b, a),
          o.sub(o.twice(last, 1), c)};
}

/// A transform of lines of N numbers to lines of M, along both axes.
template <size_t M, size_t N, typename T, typename Fn>
Square<T, M> transformBoth(const Square<T, N> &square, Fn &&line) {
  std::array<Line<T, M>, N> half; // [line][along it]
  for (size_t i = 0; i < N; ++i)
    half[i] = line(square[i]);
  Square<T, M> result;
  for (size_t j = 0; j < M; ++j) {
    Line<T, N> down;
    for (size_t i = 0; i < N; ++i)
      down[i] = half[i][j];
    Line<T, M> done = line(down);
    for (size_t i = 0; i < M; ++i)
      result[i][j] = done[i];
  }
  return result;
}

/// Whether sums by squares are exact, whatever the codes: V and U fit 16 bits,
/// and each of `sums`, what a channel's sum of codes
/// times steps can be, is below 2^25. Codes are 0 ... `mostCode`, steps
/// -`mostStep` ... `mostStep`.
bool areSquaresExact(int64_t mostCode, int64_t mostStep,
                     llvm::ArrayRef<nn::Interval> sums);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_WINOGRADTRANSFORMS_H
