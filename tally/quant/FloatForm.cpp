//===- FloatForm.cpp - a requantization in fp32, with a proof -------------===//
//
// A negative slope is solved for -acc and turned back at the end: products and
// their roundings only change their sign.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/FloatForm.h"
#include "tally/quant/AffineFit.h"
#include "tally/quant/RequantizeStairs.h"

#include <algorithm>
#include <cmath>

using namespace tally::quant;

int32_t tally::quant::apply(const FloatForm &form, int64_t acc) {
  float value = AffineFloat{form.scale, form.addend}.value(acc);
  auto rounded = int64_t(std::nearbyint(value));
  return int32_t(
      std::clamp<int64_t>(rounded + form.origin, form.clampLo, form.clampHi));
}

/// The even number of steps nearest to the middle of the codes: floats are
/// finest around 0.
static int32_t middleOf(const RequantizeProblem &p) {
  int32_t middle = (clampLoOf(p) + clampHiOf(p)) / 2 - p.zeroPoint;
  return middle / 2 * 2;
}

std::optional<FloatForm>
tally::quant::deriveFloatForm(const RequantizeProblem &p) {
  RequantizeStairs stairs(p);
  constexpr int64_t limit = INT32_MAX;
  if (p.profile != Profile::Ideal || stairs.lo < -limit || stairs.hi > limit)
    return std::nullopt;
  int32_t middle = middleOf(p);
  FloatForm form{0, 0, p.zeroPoint + middle, clampLoOf(p), clampHiOf(p)};
  if (stairs.affine.slope == 0) {
    form.addend = float(stairs.codeAt(0) - form.origin);
    return form;
  }
  auto line = fitAffine(stairs.affine, stairs.build(), middle);
  if (!line)
    return std::nullopt;
  form.scale = stairs.isFlipped ? -line->scale : line->scale;
  form.addend = line->addend;
  return form;
}
