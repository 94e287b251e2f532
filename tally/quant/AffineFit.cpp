//===- AffineFit.cpp - an fp32 line that meets a staircase ----------------===//
//
// Idea: each of the three roundings is monotone, so the line agrees with the
// staircase everywhere if it agrees on both sides of every step k, as in
// FixedPointFit.cpp. With the scale s chosen, p = fl32(fl32(x) s) is known for
// both sides, and the sum p + o passes k - 1/2 exactly when the real p + o
// passes
//
//   B_k = (k - 1/2) - h  for even k,    (k - 1/2) + h  for odd k,
//
// h half the distance to the next float: what rounds to the tie itself goes to
// the even one. So every step confines o to an interval that is exact:
//
//   B_k - p(T_k)  <=  o  <=  B_k - p(T_k - 1),
//
// and their intersection is empty or holds the o of a proven line; its centre
// is taken. Nothing is free in s but its neighbours: one unit in its last place
// moves the outermost steps by as much as all roundings do. So s is tried from
// the nearest float outwards.
//
// Example: y = x / 4 + 1/8: s = 1/4, and with p(2) = 1/2 the step k = 1 asks
// for o > 0, since a sum of exactly 1/2 goes to the even 0; p(1) = 1/4 asks
// for o <= 1/4. The centre 1/8 is the exact addend.
//
// Example: s_x = 0.01 is a little less than 1/100, so acc = 150 is below the
// tie of 1.5, and acc = -150 above that of -1.5, by less than fp32 can tell
// at 1.5. A scale two units smaller puts both on their sides.
//
// Where it works: roundings move the outer steps of 8-bit codes by some 2^-18
// of y, and neighbouring x are s apart. Of channels with s near 1/100 all have
// a line, near 1/400 some 99 %, near 1/1000 half to nine tenths, near 1/5000 a
// few. Naming the wrong accumulators instead would cost an executor as much as
// the fixed-point formula that needs none.
//
// Cost: two products per step and candidate, at most ten candidates; some
// microseconds where the first candidate does.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/AffineFit.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tally::quant;

namespace {

/// Scales tried on each side of the nearest one.
constexpr int32_t reach = 4;
/// More steps than 8-bit results have are more than 24 bits can tell apart.
constexpr size_t maxSteps = 256;

/// What one side of a step asks of the line: that the value of x is, or is
/// not, beyond the tie below step k.
struct Side {
  int64_t x;
  float tie;
  bool isTieAbove; ///< the tie itself rounds to k
  double bound;    ///< of the real sum, B_k

  bool isBeyond(float value) const {
    return value > tie || (isTieAbove && value == tie);
  }
};

class Fitter {
public:
  Fitter(const ExactAffine<mpz_class> &affine, const Staircase &stairs,
         int32_t origin)
      : stairs(stairs) {
    double unit = affine.denominator.get_d();
    nearest.scale = float(affine.slope.get_d() / unit);
    nearest.addend = float(affine.addend.get_d() / unit - origin);
    for (size_t i = 0; i < stairs.crossings.size(); ++i)
      addStep(stairs.stepOf(i) - origin,
              stairs.crossings[i].threshold(stairs.stepOf(i)));
  }

  std::optional<AffineFloat> fit() const {
    if (!isUsable(nearest))
      return std::nullopt;
    if (isRight(nearest))
      return nearest;
    for (int32_t i = 0; i <= 2 * reach; ++i)
      if (auto line = centredLine(neighbour(i));
          line && isUsable(*line) && isRight(*line))
        return line;
    return std::nullopt;
  }

private:
  void addStep(int64_t step, int64_t threshold) {
    float tie = float(step) - 0.5f;
    float next = std::nextafter(std::abs(tie), 1e9f);
    double half = (double(next) - std::abs(double(tie))) / 2;
    bool isEven = step % 2 == 0;
    double bound = double(tie) + (isEven ? -half : half);
    if (threshold <= stairs.hi)
      above.push_back({threshold, tie, isEven, bound});
    if (threshold > stairs.lo)
      below.push_back({threshold - 1, tie, isEven, bound});
  }

  /// Denormal scales would depend on the executor's mode, and values have to
  /// fit an integer.
  bool isUsable(const AffineFloat &line) const {
    auto fits = [&](int64_t x) { return std::abs(line.value(x)) <= 0x1p30f; };
    return line.scale >= 0x1p-60f && line.scale <= 0x1p30f && fits(stairs.lo) &&
           fits(stairs.hi) && stairs.crossings.size() <= maxSteps;
  }

  /// The scale, its successor, its predecessor, the second successor, ...
  float neighbour(int32_t i) const {
    float to = i % 2 ? std::numeric_limits<float>::infinity() : 0;
    float scale = nearest.scale;
    for (int32_t step = 0; step < (i + 1) / 2; ++step)
      scale = std::nextafter(scale, to);
    return scale;
  }

  bool isRight(const AffineFloat &line) const {
    auto isBeyond = [&](const Side &side) {
      return side.isBeyond(line.value(side.x));
    };
    return std::all_of(above.begin(), above.end(), isBeyond) &&
           std::none_of(below.begin(), below.end(), isBeyond);
  }

  /// B_k - p(x): where the addend passes what this side asks for.
  static double addendAt(const Side &side, float scale) {
    float product = float(side.x) * scale;
    return side.bound - double(product);
  }

  /// With the addend in the middle of what all sides ask for, if they agree.
  std::optional<AffineFloat> centredLine(float scale) const {
    double least = -0x1p31, most = 0x1p31;
    for (const Side &side : above)
      least = std::max(least, addendAt(side, scale));
    for (const Side &side : below)
      most = std::min(most, addendAt(side, scale));
    if (least > most)
      return std::nullopt;
    return AffineFloat{scale, float((least + most) / 2)};
  }

  const Staircase &stairs;
  AffineFloat nearest;
  std::vector<Side> above, below; ///< T_k and T_k - 1 of every step
};

} // namespace

std::optional<AffineFloat>
tally::quant::fitAffine(const ExactAffine<mpz_class> &affine,
                        const Staircase &stairs, int32_t origin) {
  return Fitter(affine, stairs, origin).fit();
}
