//===- IntegerSoftmax.h - softmax on codes in integers ----------*- C++ -*-===//

#ifndef TALLY_EVAL_INTEGERSOFTMAX_H
#define TALLY_EVAL_INTEGERSOFTMAX_H

#include "tally/eval/Request.h"
#include "tally/support/Result.h"

namespace tally::eval {

/// Fraction bits of the exponentials below.
inline constexpr int kExponentialBits = 30;

/// exp(-scale * d) for d in [0, size) as round-half-even(2^30 * exp), exact.
std::vector<int64_t> exponentialTable(float scale, int64_t size);

/// Input and result are codes with at most 8 and 16 bits, per tensor; as
/// nn.integer_softmax states it.
Status evaluateIntegerSoftmax(Request &request, int64_t axis);

} // namespace tally::eval

#endif // TALLY_EVAL_INTEGERSOFTMAX_H
