//===- Resampling.h - weighted sums along dimensions ------------*- C++ -*-===//

#ifndef TALLY_EVAL_RESAMPLING_H
#define TALLY_EVAL_RESAMPLING_H

#include "tally/eval/Request.h"
#include "tally/support/Result.h"

namespace tally::eval {

/// One dimension: `size` results, each a sum of equally many taps, which
/// `sources` (input indices) and `weights` (units of 2^-23) list result by
/// result. Each weight is an fp32 number; magnitudes sum to at most 2^26
/// per result.
struct ResampledAxis {
  int64_t axis, size;
  std::span<const int64_t> sources, weights;
};

/// The meaning of nn.resize: sums along one axis after the other. Floats take
/// one fused multiply-add per tap; integers and codes are summed exactly and
/// rounded once. At most 3 axes.
Status evaluateResampling(Request &request,
                          const std::vector<ResampledAxis> &axes);

} // namespace tally::eval

#endif // TALLY_EVAL_RESAMPLING_H
