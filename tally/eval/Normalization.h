//===- Normalization.h - the meaning of normalizing operators ---*- C++ -*-===//
//
// Float operators in stated orders (numerics decision 9): each step below is
// one rounded operation; sums are pinned sums; halves are computed in f32.
// None has a meaning on codes.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_NORMALIZATION_H
#define TALLY_EVAL_NORMALIZATION_H

#include "tally/eval/Request.h"
#include "tally/support/Result.h"

#include <functional>

namespace tally::eval {

/// nn.softmax, or nn.log_softmax.
Status evaluateSoftmax(Request &request, int64_t axis, bool logarithm);

/// nn.lp_normalization; p is 1 or 2.
Status evaluateLpNormalization(Request &request, int64_t axis, int64_t p);

/// Rows of `rowLength` neighbouring elements, each normalized by itself.
struct RowNormalization {
  int64_t rowLength = 1;
  float epsilon = 0;
  /// Whether the mean is subtracted: layer and instance normalization; not
  /// for RMS.
  bool centered = true;
  /// The entry of scale (input 1) and bias (input 2, optional) that belongs
  /// to an element.
  std::function<int64_t(int64_t element)> parameter;
};

/// Results: y and, if more are asked for, the mean and the inverse deviation
/// of each row.
Status evaluateRowNormalization(Request &request, const RowNormalization &rows);

/// Inputs x, scale, bias, mean, variance, all but x one per channel (dimension
/// 1), as nn.batch_normalization states it.
Status evaluateBatchNormalization(Request &request, float epsilon);

struct LrnMeaning {
  int64_t size;
  float alpha, beta, bias;
};
/// nn.lrn.
Status evaluateLrn(Request &request, const LrnMeaning &meaning);

} // namespace tally::eval

#endif // TALLY_EVAL_NORMALIZATION_H
