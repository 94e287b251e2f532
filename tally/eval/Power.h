//===- Power.h - powers of plain numbers ------------------------*- C++ -*-===//

#ifndef TALLY_EVAL_POWER_H
#define TALLY_EVAL_POWER_H

#include "tally/eval/Request.h"
#include "tally/support/Result.h"

namespace tally::eval {

/// Result 0 = input 0 to the power of input 1, broadcast, of plain numbers, as
/// nn.pow says; `floatPow` is the fp32 function.
Status evaluatePower(Request &request, float (*floatPow)(float, float));

/// base^exponent mod 2^64 for exponent >= 0; below, 1 / base^-exponent
/// truncated toward zero, and 0 for a zero base. Takes unsigned bases as their
/// bits when exponent >= 0.
int64_t integerPower(int64_t base, int64_t exponent);

} // namespace tally::eval

#endif // TALLY_EVAL_POWER_H
