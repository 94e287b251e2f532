//===- Convolution.h - the exact meaning of convolution ---------*- C++ -*-===//

#ifndef TALLY_EVAL_CONVOLUTION_H
#define TALLY_EVAL_CONVOLUTION_H

#include "tally/eval/Request.h"
#include "tally/support/Result.h"

namespace tally::eval {

/// Sliding-window geometry of n spatial dimensions. `pads` lists n begins,
/// then n ends.
struct WindowGeometry {
  Shape input, output, kernel; ///< spatial sizes, n entries each
  Shape strides, pads, dilations;

  size_t rank() const { return input.size(); }
  int64_t taps() const { return elementCount(kernel); }
  int64_t pixels() const { return elementCount(output); }
};

/// For each tap of the window at output pixel `pixel` (both row-major): the
/// input pixel it reads, or -1 in the padding.
void windowOffsets(const WindowGeometry &geometry, int64_t pixel,
                   std::vector<int64_t> &offsets);

/// input [N, C, spatial], weight [M, C/group, kernel], optional bias [M], as
/// nn.conv states it. Float, or quantized input, weight and result.
Status evaluateConvolution(Request &request, const WindowGeometry &geometry,
                           int64_t group);

/// input, weight, optional zero points (scalars or [M] for the weight) of
/// plain integers; the result is i32 and wraps.
Status evaluateConvolutionInteger(Request &request,
                                  const WindowGeometry &geometry,
                                  int64_t group);

} // namespace tally::eval

#endif // TALLY_EVAL_CONVOLUTION_H
