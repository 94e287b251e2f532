//===- ConvSizes.h - the sizes of a convolution -----------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_CONVSIZES_H
#define TALLY_CPU_LOWER_CONVSIZES_H

#include "tally/cpu/lower/Window.h"

namespace tally::cpu {

/// Pixels of a block whose patches are gathered at once.
inline constexpr int64_t kBlockPixels = 64;

/// Sizes of one convolution.
struct ConvSizes {
  template <typename OpTy>
  ConvSizes(OpTy op, KernelBuilder &k)
      : input(k.operandInfo(0)), weight(k.operandInfo(1)),
        result(k.resultInfo()), group(op.getGroup()) {
    isTransposed = std::is_same_v<OpTy, nn::ConvTransposeOp>;
    auto list = [](llvm::ArrayRef<int64_t> values) {
      return eval::Shape(values.begin(), values.end());
    };
    window = {eval::Shape(input.shape.begin() + 2, input.shape.end()),
              eval::Shape(result.shape.begin() + 2, result.shape.end()),
              eval::Shape(weight.shape.begin() + 2, weight.shape.end()),
              list(op.getStrides()),
              list(op.getPads()),
              list(op.getDilations())};
    if (isTransposed)
      transposeWindow();
    channels = input.shape[1] / group;
    outputs = result.shape[1] / group;
    taps = eval::elementCount(window.kernel);
    pixels = eval::elementCount(window.output);
    k_ = channels * taps;
    block = std::min(pixels, kBlockPixels);
    // What is written over may be read once only, so no block overlaps another.
    while (block > 1 && pixels % block && writesOverOperand(k))
      --block;
    inputStrides = stridesIn(k.operandOrder(0), input.shape);
    resultStrides = stridesIn(k.resultOrder(), result.shape);
  }

  void transposeWindow() {
    window.spread = window.strides;
    window.strides.assign(window.rank(), 1);
    for (size_t d = 0; d < window.rank(); ++d)
      window.pads[d] =
          window.dilations[d] * (window.kernel[d] - 1) - window.pads[d];
  }

  /// Whether an element of the result takes the place of an operand's.
  static bool writesOverOperand(const KernelBuilder &k) {
    return llvm::any_of(k.shared,
                        [](const auto &place) { return place.has_value(); });
  }

  /// Flat weight element of output channel m (over all groups) and term i.
  int64_t weightElement(int64_t m, int64_t i) const {
    if (!isTransposed)
      return m * k_ + i;
    int64_t c = m / outputs * channels + i / taps, t = taps - 1 - i % taps;
    return (c * outputs + m % outputs) * taps + t;
  }
  /// The entry of the weight's grid for output channel m.
  int64_t weightChannel(int64_t m) const {
    return isTransposed ? m % outputs : m;
  }

  /// The result's element of (image, output channel of all groups, pixel).
  Value resultElement(KernelBuilder &k, Value image, Value channel,
                      Value pixel) const {
    return element(k, resultStrides, image, channel, pixel);
  }
  /// Whether the channels of a pixel of the result lie side by side.
  bool areChannelsNeighbours() const { return resultStrides[1] == 1; }
  /// The input's.
  Value inputElement(KernelBuilder &k, Value image, Value channel,
                     Value pixel) const {
    return element(k, inputStrides, image, channel, pixel);
  }

  eval::Tensor input, weight, result;
  int64_t group;
  bool isTransposed;
  WindowShape window;
  int64_t channels, outputs, taps, pixels, k_, block;
  eval::Shape inputStrides, resultStrides;

private:
  static Value element(KernelBuilder &k, const eval::Shape &strides,
                       Value image, Value channel, Value pixel) {
    Value place = k.addIndex(k.mulIndex(image, strides[0]),
                             k.mulIndex(channel, strides[1]));
    return k.addIndex(place, k.mulIndex(pixel, strides.back()));
  }
};

/// Calls body(image, group, first pixel of a block) in loops; the last block is
/// moved back to end at the last pixel, so every block is full.
void forEachPixelBlock(
    KernelBuilder &k, const ConvSizes &s,
    llvm::function_ref<void(Value image, Value group, Value start)> body);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_CONVSIZES_H
