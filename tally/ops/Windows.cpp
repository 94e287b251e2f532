//===- Windows.cpp - shape rules of sliding-window operators --------------===//

#include "tally/ops/Windows.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult tally::nn::checkWindow(MaybeLocation location, StringRef rule,
                                     size_t n, const WindowSizes &window) {
  auto fits = [&](ArrayRef<int64_t> list) {
    return list.size() == n &&
           llvm::all_of(list, [](int64_t value) { return value > 0; });
  };
  if (!fits(window.kernel) || !fits(window.strides) ||
      !fits(window.dilations) || window.pads.size() != 2 * n)
    return reject(location, rule,
                  "kernel, strides and dilations need " + Twine(n) +
                      " positive entries each and pads " + Twine(2 * n));
  // Then no product of two of them, nor what is added to it, can overflow.
  for (ArrayRef<int64_t> list :
       {window.kernel, window.strides, window.dilations, window.pads})
    for (int64_t value : list)
      if (value < INT32_MIN || value > INT32_MAX)
        return reject(location, rule,
                      "kernel, strides, dilations and pads must fit 32 bits, "
                      "found " +
                          Twine(value));
  return success();
}

static eval::Shape list(ArrayRef<int64_t> values) {
  return eval::Shape(values.begin(), values.end());
}

eval::WindowGeometry tally::nn::windowGeometry(const eval::Tensor &input,
                                               const eval::Tensor &output,
                                               const WindowSizes &window) {
  auto spatial = [](const eval::Tensor &tensor) {
    return eval::Shape(tensor.shape.begin() + 2, tensor.shape.end());
  };
  return {spatial(input),       spatial(output),   list(window.kernel),
          list(window.strides), list(window.pads), list(window.dilations)};
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

static LogicalResult checkConvolution(MaybeLocation location,
                                      ArrayRef<int64_t> input,
                                      ArrayRef<int64_t> weight, int64_t group) {
  if (input.size() != weight.size() || input.size() < 3)
    return reject(location, "CONV-1",
                  "input " + shapeText(input) + " and weight " +
                      shapeText(weight) + " must have one rank, at least 3");
  if (group < 1 || input[1] != weight[1] * group || weight[0] % group)
    return reject(location, "CONV-2",
                  "weight " + shapeText(weight) + " with " + Twine(group) +
                      " groups needs " + Twine(weight[1] * group) +
                      " input channels, found " + Twine(input[1]));
  return success();
}

LogicalResult tally::nn::inferConvolution(MaybeLocation location, Value input,
                                          Value weight, WindowSizes window,
                                          int64_t group,
                                          SmallVectorImpl<int64_t> &shape) {
  ArrayRef<int64_t> from = shapeOf(input), kernel = shapeOf(weight);
  if (failed(checkConvolution(location, from, kernel, group)))
    return failure();
  size_t n = from.size() - 2;
  window.kernel = kernel.drop_front(2);
  if (failed(checkWindow(location, "CONV-3", n, window)))
    return failure();
  shape.assign({from[0], kernel[0]});
  for (size_t d = 0; d < n; ++d) {
    int64_t span = from[d + 2] + window.pads[d] + window.pads[n + d] -
                   window.dilations[d] * (window.kernel[d] - 1) - 1;
    if (span < 0)
      return reject(location, "CONV-4",
                    "the window does not fit in spatial dimension " + Twine(d) +
                        " of input " + shapeText(from));
    shape.push_back(span / window.strides[d] + 1);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

static LogicalResult checkPool(MaybeLocation location, StringRef name,
                               Value input, const WindowSizes &window,
                               bool allowInteger) {
  ArrayRef<int64_t> shape = shapeOf(input);
  if (shape.size() < 3)
    return reject(location, "POOL-1",
                  name + ": input " + shapeText(shape) +
                      " needs a batch, channels and spatial dimensions");
  size_t n = shape.size() - 2;
  if (failed(checkWindow(location, "POOL-2", n, window)))
    return failure();
  for (size_t d = 0; d < 2 * n; ++d) {
    int64_t extent = window.dilations[d % n] * (window.kernel[d % n] - 1) + 1;
    if (window.pads[d] < 0 || window.pads[d] >= extent)
      return reject(location, "POOL-3",
                    name + ": pad " + Twine(window.pads[d]) +
                        " is not below the window's extent " + Twine(extent));
  }
  Type element = elementType(input);
  if (isa<FloatType, UniformQuantizedType>(element) ||
      (allowInteger && isa<IntegerType>(element)))
    return success();
  return reject(location, "POOL-5",
                name + ": no pooling of " + typeText(element));
}

LogicalResult tally::nn::inferPool(MaybeLocation location, StringRef name,
                                   Value input, const WindowSizes &window,
                                   bool ceilMode, bool allowInteger,
                                   Inferred &inferred) {
  if (failed(checkPool(location, name, input, window, allowInteger)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(input);
  size_t n = shape.size() - 2;
  SmallVector<int64_t> result(shape.take_front(2));
  for (size_t d = 0; d < n; ++d) {
    int64_t stride = window.strides[d];
    int64_t reach = shape[d + 2] + window.pads[d];
    int64_t span = reach + window.pads[n + d] -
                   window.dilations[d] * (window.kernel[d] - 1) - 1;
    if (span < 0)
      return reject(location, "POOL-4",
                    name + ": the window does not fit in spatial dimension " +
                        Twine(d) + " of input " + shapeText(shape));
    int64_t size = (span + (ceilMode ? stride - 1 : 0)) / stride + 1;
    // A window that starts in the end padding is dropped.
    if (ceilMode && (size - 1) * stride >= reach)
      --size;
    result.push_back(size);
  }
  infer(inferred, result, elementType(input));
  return success();
}
