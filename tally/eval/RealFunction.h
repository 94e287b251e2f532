//===- RealFunction.h - the code of f(x) ------------------------*- C++ -*-===//
//
// Real functions of one real, as unary operators on codes mean them, and the
// decision which code a value of theirs is.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_REALFUNCTION_H
#define TALLY_EVAL_REALFUNCTION_H

#include "tally/eval/BigFloat.h"
#include "tally/eval/ExactRounding.h"

#include <functional>

namespace tally::eval {

/// f(x) = head + tail: an exact rational plus a number of MPFR.
struct SplitReal {
  SplitReal(mpfr_prec_t precision) : tail(precision) {}
  mpq_class head;
  BigFloat tail;
  /// Whether the tail is exact too, else its relative error is below
  /// 2^(10 - its precision).
  bool exact = false;
};

/// A real function of one real, for quantized tensors. Exactly one member is
/// set. `rational` is exact. `approximate` may choose as head what f comes so
/// close to that no precision would tell the two apart, such as 1 for
/// sigmoid(1000); of a tail below 2^-2000 only the sign matters. It may set
/// infinities (they saturate) and NaN (no real value: becomes the code of 0).
/// Where f(x) is a dyadic rational, as sigmoid(0) is, it must say `exact`.
struct RealFunction {
  std::function<mpq_class(const mpq_class &x)> rational;
  std::function<void(SplitReal &result, mpfr_srcptr x)> approximate;

  explicit operator bool() const { return rational || approximate; }
};

/// The code of f(x) on `grid`, decided with as many bits as it takes.
int64_t roundFunction(const RealFunction &function, const mpq_class &x,
                      const Quantization &grid);

/// The transcendental functions of the operators of the same names.
/// Parameters are taken exactly.
RealFunction celuFunction(float alpha); ///< alpha is not 0
RealFunction cosFunction();
RealFunction eluFunction(float alpha);
RealFunction erfFunction();
RealFunction expFunction();
RealFunction geluErfFunction();
RealFunction geluTanhFunction(); ///< sqrt(2/pi) and 0.044715 are exact reals
RealFunction logFunction();      ///< -inf for x <= 0
RealFunction mishFunction();
RealFunction powFunction(float exponent); ///< see nn.pow
RealFunction reciprocalFunction();        ///< +inf for 0: a code has no -0
RealFunction seluFunction(float alpha, float gamma);
RealFunction sigmoidFunction();
RealFunction sinFunction();
RealFunction softplusFunction();
RealFunction sqrtFunction(); ///< NaN below 0
RealFunction swishFunction(float alpha);
RealFunction tanhFunction();

} // namespace tally::eval

#endif // TALLY_EVAL_REALFUNCTION_H
