//===- Power.cpp - powers of plain numbers --------------------------------===//

#include "tally/eval/Power.h"
#include "tally/eval/Cast.h"
#include "tally/eval/Elementwise.h"

#include <cmath>

using namespace tally;
using namespace tally::eval;

int64_t tally::eval::integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    bool isOdd = exponent & 1;
    return base == 1 ? 1 : base == -1 ? (isOdd ? -1 : 1) : 0;
  }
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent != 0; exponent >>= 1, square *= square)
    if (exponent & 1)
      result *= square;
  return static_cast<int64_t>(result);
}

static float asFloat(const Tensor &tensor, int64_t i) {
  if (isFloat(tensor.element))
    return static_cast<float>(loadFloat(tensor, i));
  if (tensor.element == Element::U64)
    return static_cast<float>(tensor.data<uint64_t>()[i]);
  return static_cast<float>(loadInt(tensor, i));
}

/// An exponent congruent to `magnitude` for powers mod 2^64, below 2^63: an odd
/// base repeats after 2^62 factors, an even one is 0 long before.
static int64_t reduced(uint64_t magnitude) {
  constexpr uint64_t kPeriod = uint64_t(1) << 62;
  return static_cast<int64_t>(
      magnitude < kPeriod ? magnitude : magnitude % kPeriod + kPeriod);
}

/// The exponent as an integer, when it is one. Of negative ones below -2^62
/// only that they are even floats matters.
static std::optional<int64_t> integralExponent(const Tensor &tensor,
                                               int64_t i) {
  if (tensor.element == Element::U64)
    return reduced(tensor.data<uint64_t>()[i]);
  if (!isFloat(tensor.element))
    return loadInt(tensor, i);
  double value = loadFloat(tensor, i);
  if (!std::isfinite(value) || value != std::trunc(value))
    return std::nullopt;
  if (value < 0)
    return static_cast<int64_t>(std::max(value, -0x1p62));
  // A float of 2^64 or more is a multiple of 2^11; fmod is exact.
  if (value >= 0x1p62)
    value = std::fmod(value, 0x1p62) + 0x1p62;
  return reduced(static_cast<uint64_t>(value));
}

/// A real power in the integer type of the base.
static void storeTruncated(Tensor &out, int64_t i, float value) {
  Tensor from, to;
  from.element = Element::F32;
  to.element = out.element;
  from.allocate();
  to.allocate();
  from.data<float>()[0] = value;
  castElements(from, to);
  storeInt(out, i, loadInt(to, 0));
}

Status tally::eval::evaluatePower(Request &request,
                                  float (*floatPow)(float, float)) {
  const Tensor &base = request.in(0), &exponent = request.in(1);
  Tensor &out = request.out();
  if (base.element == Element::F64)
    return noMeaning(base);
  forEachBroadcast(
      out.shape, base.shape, exponent.shape,
      [&](int64_t i, int64_t ib, int64_t ie) {
        auto real = [&]() {
          return floatPow(asFloat(base, ib), asFloat(exponent, ie));
        };
        if (isFloat(base.element))
          return storeFloat(out, i, real());
        auto integer = integralExponent(exponent, ie);
        if (!integer)
          return storeTruncated(out, i, real());
        int64_t bits = loadInt(base, ib);
        // The largest uint64 has the bits of -1, whose powers do not vanish.
        if (*integer < 0 && bits == -1 && base.element == Element::U64)
          bits = 0;
        storeInt(out, i, integerPower(bits, *integer));
      });
  return Status::success();
}
