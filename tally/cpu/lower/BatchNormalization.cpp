//===- BatchNormalization.cpp - by given statistics per channel -----------===//
//
// Elementwise but for what depends on the channel:
//
//     y = (x - mean[c]) * factor[c] + bias[c],
//     factor[c] = scale[c] / sqrt(variance[c] + epsilon)
//
// The factors are made once, before the elements.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/FloatMath.h"
#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/Lowerings.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// Memory with the factor of each channel.
static Value factors(KernelBuilder &k, int64_t channels, float epsilon) {
  Value scale = k.flatOperand(1), variance = k.flatOperand(4);
  Value result = k.scratch({channels}, k.f32());
  FloatMath math(k);
  k.loop(channels, [&](Value c) {
    Value deviation =
        math.sqrt(math.add(k.load(variance, c), math.f32(epsilon)));
    k.store(math.div(k.load(scale, c), deviation), result, c);
  });
  return result;
}

namespace {
struct BatchNormalizationLowering
    : ElementwiseModel<BatchNormalizationLowering, nn::BatchNormalizationOp> {
  static Result<ElementCode> code(nn::BatchNormalizationOp op,
                                  KernelBuilder &k) {
    for (size_t i = 0; i < k.operandCount(); ++i)
      if (eval::Element element = k.operandInfo(i).element;
          element != eval::Element::F32)
        return k.unsupported(std::string(eval::name(element)) + " operands");
    eval::Shape input = k.operandInfo(0).shape, shape(input.size(), 1);
    int64_t channels = input.size() > 1 ? input[1] : 1;
    if (channels > 1)
      shape[1] = channels;
    BesideTable factor = {
        factors(k, channels, op.getEpsilon().convertToFloat()), shape};
    BesideTable bias = {k.flatOperand(2), shape};
    BesideTable mean = {k.flatOperand(3), shape};
    ElementCode code = [=, &k](const ElementInputs &x) {
      Value value = x[0];
      FloatMath math(k, lanesOf(value));
      auto of = [&](const BesideTable &table) {
        return table.load(k, x.element, value);
      };
      return math.add(math.mul(math.sub(value, of(mean)), of(factor)),
                      of(bias));
    };
    code.loaded = 1;
    code.span = factor.span(k);
    return std::move(code).onWideLanes();
  }

  /// In a chain, x is the operand that stages before have made: the others
  /// have another rank.
  bool takesEpilogue(Operation *op) const {
    return cast<RankedTensorType>(op->getOperand(0).getType()).getRank() > 1;
  }
};
} // namespace

void tally::cpu::registerBatchNormalizationLowering(MLIRContext &context) {
  nn::BatchNormalizationOp::attachInterface<BatchNormalizationLowering>(
      context);
}
