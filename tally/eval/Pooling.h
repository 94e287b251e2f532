//===- Pooling.h - the exact meaning of pooling -----------------*- C++ -*-===//

#ifndef TALLY_EVAL_POOLING_H
#define TALLY_EVAL_POOLING_H

#include "tally/eval/Request.h"
#include "tally/eval/Window.h"
#include "tally/support/Result.h"

namespace tally::eval {

/// input [N, C, spatial], as nn.max_pool states it.
Status evaluateMaxPool(Request &request, const WindowGeometry &geometry);

/// The i64 result of nn.max_pool_indices.
Status evaluateMaxPoolIndices(Request &request, const WindowGeometry &geometry,
                              bool columnMajor);

/// input [N, C, spatial], as nn.average_pool states it.
Status evaluateAveragePool(Request &request, const WindowGeometry &geometry,
                           bool countIncludePad);

} // namespace tally::eval

#endif // TALLY_EVAL_POOLING_H
