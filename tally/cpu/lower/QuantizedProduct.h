//===- QuantizedProduct.h - what quantized products share -------*- C++ -*-===//
//
// Constant operands of integer products, bounds of their accumulators, and the
// requantization records that follow.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LOWER_QUANTIZEDPRODUCT_H
#define TALLY_CPU_LOWER_QUANTIZEDPRODUCT_H

#include "tally/cpu/KernelBuilder.h"
#include "tally/cpu/ProductKernels.h"
#include "tally/cpu/Requantize.h"

namespace tally::cpu {

using nn::BiasParts;
using nn::biasParts;
using nn::Interval;
using nn::productSum;
using nn::stepRange;
/// The union over all channels.
Interval allSteps(const eval::Quantization &grid);
/// The same for a plain integer element with any zero point of its type.
Interval stepRange(eval::Element element);

/// The narrowest of i8, i16, i32 that holds an interval.
eval::Element panelElement(Interval range);

/// A constant panel [rows][k] of steps (code - zero point), or [k][rows] when
/// `isTermMajor`, and per row the interval of its sum of products with elements
/// of `other`.
struct ConstantPanel {
  eval::Tensor tensor;
  std::vector<Interval> sums;
  bool isTermMajor = false;

  /// The same steps as [k][rows].
  ConstantPanel termMajor() const;
  IntegerPanel in(KernelBuilder &k) const {
    return {k.constant(tensor), tensor.element, {}, isTermMajor};
  }
};
/// The panel of the kernel's operation, which has one at most.
const ConstantPanel &
constantPanel(KernelBuilder &kernel, int64_t rows, int64_t k, Interval other,
              llvm::function_ref<int64_t(int64_t row, int64_t k)> step);

/// Whether the constant right operand of a product has readers that want it in
/// another order than this product would pack it in. It is then kept in its
/// own order, so that all share one copy.
bool hasOtherReaders(const KernelBuilder &kernel);

/// Whether all readers of the constant right operand of a product would pack it
/// as this product does, so that they share what it packs.
bool allPackAlike(const KernelBuilder &kernel);

/// Whether an accumulator (and every partial sum) needs 64 bits; an error when
/// not even those suffice (NUM-4).
Result<bool> needsWide(const KernelBuilder &kernel,
                       llvm::ArrayRef<Interval> absolute);

/// Fails by CPU-1 on real numbers that are none, called `what`.
Status checkFinite(const KernelBuilder &kernel, const eval::Tensor &tensor,
                   const std::string &what);

/// One channel's record. A form that the profile does not have follows IDEAL,
/// as in the evaluator.
struct ChannelProblem {
  float scaleA = 1, scaleB = 1, factor = 1;
  int64_t divisor = 1;
  quant::Dyadic offset;
  Interval accumulator;
  /// What the accumulator adds up: every profile has a form of products,
  /// onnxruntime one of means (whose sum of steps fits 32 bits).
  enum class Terms { Products, Mean, Sum } terms = Terms::Products;
  /// Lanes go one way: of no use where another channel has no form in fp32.
  bool wantsFloatForm = true;
};
Result<ChannelRecord> channelRecord(const KernelBuilder &kernel,
                                    const ChannelProblem &channel,
                                    const eval::Quantization &result);

/// Those of all channels of the kernel's operation; of the problems all but
/// wantsFloatForm.
Result<std::vector<ChannelRecord>>
channelRecords(KernelBuilder &kernel, int64_t channels,
               llvm::function_ref<ChannelProblem(int64_t channel)> problem,
               const eval::Quantization &result);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_QUANTIZEDPRODUCT_H
