//===- RealFunction.h - the code of f(x) ------------------------*- C++ -*-===//
//
// Real functions of one real, as unary operators on codes mean them, and the
// decision which code a value of theirs is.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_REALFUNCTION_H
#define TALLY_EVAL_REALFUNCTION_H

#include "tally/eval/ExactRounding.h"

#include <functional>
#include <mpfr.h>

namespace tally::eval {

/// A real function of one real, for quantized tensors. Exactly one member is
/// set. `rational` is exact. `approximate` computes f(x) into `result` with a
/// relative error below 2^(10 - precision of result); it may set infinities
/// (they saturate) and NaN (no real value: becomes the code of 0).
struct RealFunction {
  std::function<mpq_class(const mpq_class &x)> rational;
  std::function<void(mpfr_ptr result, mpfr_srcptr x)> approximate;

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
