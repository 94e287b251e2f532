//===- PoolSizes.h - the sizes of a pooling ---------------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_POOLSIZES_H
#define TALLY_CPU_LOWER_POOLSIZES_H

#include "tally/cpu/lower/Window.h"

namespace tally::cpu {

/// Sizes of one pooling.
struct PoolSizes {
  template <typename OpTy>
  PoolSizes(OpTy op, KernelBuilder &k)
      : input(k.operandInfo(0)), result(k.resultInfo()) {
    auto list = [](llvm::ArrayRef<int64_t> values) {
      return eval::Shape(values.begin(), values.end());
    };
    window = {eval::Shape(input.shape.begin() + 2, input.shape.end()),
              eval::Shape(result.shape.begin() + 2, result.shape.end()),
              list(op.getKernel()),
              list(op.getStrides()),
              list(op.getPads()),
              list(op.getDilations())};
    channels = input.shape[1];
    planes = input.shape[0] * channels;
    inputStrides = stridesIn(k.operandOrder(0), input.shape);
    resultStrides = stridesIn(k.resultOrder(), result.shape);
    pixels = eval::elementCount(window.output);
    taps = eval::elementCount(window.kernel);
  }
  eval::Tensor input, result;
  WindowShape window;
  int64_t channels, planes, pixels, taps;
  eval::Shape inputStrides, resultStrides;

  /// Whether neighbours in memory are channels, of 8 bits.
  bool areChannelBytes(KernelBuilder &k) const {
    return k.operandOrder(0) == Order::ChannelsLast && resultStrides[1] == 1 &&
           input.isQuantized() && eval::byteSize(input.element) == 1;
  }
  /// Where the pixel of a plane is that begins at `base`.
  Value inputElement(KernelBuilder &k, Value base, Value pixel) const {
    return k.addIndex(base, k.mulIndex(pixel, inputStrides.back()));
  }
};

/// The element of pixel 0 of a channel of an image.
inline Value placeIn(KernelBuilder &k, const eval::Shape &strides, Value image,
                     Value channel) {
  return k.addIndex(k.mulIndex(image, strides[0]),
                    k.mulIndex(channel, strides[1]));
}

/// The larger of two elements, or of two vectors of them.
Value larger(KernelBuilder &k, eval::Element element, Value a, Value b);

/// What the maximum of a window without elements is.
Value lowest(KernelBuilder &k, const eval::Tensor &in);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_POOLSIZES_H
