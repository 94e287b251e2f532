//===- Convolution.h - the exact meaning of convolution ---------*- C++ -*-===//

#ifndef TALLY_EVAL_CONVOLUTION_H
#define TALLY_EVAL_CONVOLUTION_H

#include "tally/eval/Request.h"
#include "tally/eval/Window.h"
#include "tally/support/Result.h"

namespace tally::eval {

/// input [N, C, spatial], weight [M, C/group, kernel], optional bias [M], as
/// nn.conv states it. Float, or quantized input, weight and result.
Status evaluateConvolution(Request &request, const WindowGeometry &geometry,
                           int64_t group);

/// input, weight, optional zero points (a scalar; a scalar or [M]) of plain
/// integers; the result is i32 and wraps.
Status evaluateConvolutionInteger(Request &request,
                                  const WindowGeometry &geometry,
                                  int64_t group);

/// The weight [C, M/group, kernel] of a transposed convolution as that of the
/// convolution [M, C/group, kernel] that means the same on a spread input:
/// channels swapped within each group, kernel positions reversed, per-axis
/// scales one per output channel.
Tensor transposedWeight(const Tensor &weight, int64_t group);

} // namespace tally::eval

#endif // TALLY_EVAL_CONVOLUTION_H
