//===- ExactAffine.h - an affine real function of an integer ---*- C++ -*-===//
//
// Private to this library. y(x) = (slope * x + addend) / denominator with whole
// numbers, and the places where it crosses the rounding ties k - 1/2.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_EXACTAFFINE_H
#define TALLY_QUANT_EXACTAFFINE_H

#include "tally/quant/Dyadic.h"

#include <optional>
#include <vector>

namespace tally::quant {

/// y(x) = (slope * x + addend) / denominator; denominator > 0. `Int` is
/// __int128 where everything fits, mpz_class otherwise.
template <class Int> struct ExactAffine {
  Int slope, addend, denominator;
};

/// Where y crosses k - 1/2: the first x with y(x) > k - 1/2, and whether
/// x = firstAbove - 1 is an exact tie. Both are clipped to the interval of x:
/// firstAbove to [lo, hi + 1], and a tie outside [lo, hi] is no tie.
struct Crossing {
  int64_t firstAbove;
  bool hasTie;

  /// First x whose rounding (half to even) is >= k.
  int64_t threshold(int64_t k) const {
    return firstAbove - (hasTie && k % 2 == 0);
  }
  /// Last x with y(x) < k - 1/2.
  int64_t lastBelow() const { return firstAbove - 1 - hasTie; }
};

/// Crossings of consecutive k, starting at firstStep.
struct Staircase {
  int64_t lo, hi;    ///< interval of x, inclusive
  int64_t firstStep; ///< the k of crossings[0]
  std::vector<Crossing> crossings;
  bool hasTies = false;

  int64_t stepOf(size_t index) const { return firstStep + int64_t(index); }
};

/// The exact value of `y` as whole numbers: y(x) = (x * slope + addend) /
/// denominator for real slope and addend times 1 / (scale * divisor).
ExactAffine<mpz_class> makeAffine(const Dyadic &slope, const Dyadic &addend,
                                  float scale, int64_t divisor);

/// The same in 128 bits if slope * x, addend and step * denominator stay below
/// 2^124 for |x| < 2^xBits and |step| < 2^18.
std::optional<ExactAffine<__int128>>
narrow(const ExactAffine<mpz_class> &affine, int32_t xBits);

/// RHE(y(x)), limited to +-2^40 so that it fits.
template <class Int>
int64_t roundAffine(const ExactAffine<Int> &affine, int64_t x);

/// Crossings for k in [firstStep, lastStep]; the slope must be > 0.
template <class Int>
Staircase buildStaircase(const ExactAffine<Int> &affine, int64_t lo, int64_t hi,
                         int64_t firstStep, int64_t lastStep);

/// Bits of |value|; 0 for 0.
int32_t bitWidth(const mpz_class &value);
int32_t bitWidth(int64_t value);

mpz_class toMpz(__int128 value);
/// |value| must be below 2^127.
__int128 toInt128(const mpz_class &value);

/// Walks floor(y(x) + 1/2) over consecutive x by additions.
class FloorWalk {
public:
  FloorWalk(const ExactAffine<mpz_class> &affine, int64_t x);
  /// To x + 1.
  void advance();
  /// floor(y + 1/2), limited to [lo, hi].
  int64_t floorUp(int64_t lo, int64_t hi) const;
  /// Whether y + 1/2 is a whole number: an exact tie.
  bool isWhole() const;

private:
  /// quotient + remainder / modulus with 0 <= remainder < modulus, and what x
  /// + 1 adds to both.
  template <class Int> struct State {
    Int quotient, remainder, quotientStep, remainderStep, modulus;
  };
  template <class Int> static void advance(State<Int> &state);
  std::optional<State<__int128>> small;
  State<mpz_class> big;
};

} // namespace tally::quant

#endif // TALLY_QUANT_EXACTAFFINE_H
