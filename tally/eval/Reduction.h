//===- Reduction.h - the exact meaning of reductions ------------*- C++ -*-===//

#ifndef TALLY_EVAL_REDUCTION_H
#define TALLY_EVAL_REDUCTION_H

#include "tally/eval/Request.h"
#include "tally/support/Result.h"

namespace tally::eval {

enum class Reduction {
  Sum,
  Mean,
  Max,
  Min,
  Prod,
  L1,
  L2,
  SumSquare,
  LogSum,
  LogSumExp
};

/// Reduces input 0 over `axes` (distinct, in [0, rank), ascending), as the
/// nn.reduce_* operators state it. The result may keep the axes or not.
Status evaluateReduction(Request &request, Reduction kind,
                         std::span<const int64_t> axes);

/// The index along `axis` of the largest or smallest element, as nn.arg_max
/// and nn.arg_min state it; the result is i64.
Status evaluateArgExtreme(Request &request, int64_t axis, bool wantsLargest,
                          bool selectLast);

/// The first elements along `axis` in order, as many as the results hold, and
/// their indices (result 1, i64), as nn.top_k states it.
Status evaluateTopK(Request &request, int64_t axis, bool largest);

/// The elements that a reduction over `axes` reads for each output.
struct ReductionOffsets {
  ReductionOffsets(std::span<const int64_t> shape,
                   std::span<const int64_t> axes);
  std::vector<int64_t> outputs; ///< first element, outputs in row-major order
  std::vector<int64_t> terms;   ///< offsets from it, in row-major order
};

} // namespace tally::eval

#endif // TALLY_EVAL_REDUCTION_H
