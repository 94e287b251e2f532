//===- TensorDistance.cpp - how far two tensors are apart -----------------===//

#include "tally/driver/diff/TensorDistance.h"
#include "tally/driver/tensors/Comparison.h"

#include <cmath>

using namespace tally;
using eval::Tensor;

namespace {
/// Reads elements as real numbers.
class RealReader {
public:
  explicit RealReader(const Tensor &tensor)
      : tensor(tensor),
        channel(tensor.shape, tensor.quant ? tensor.quant->axis : -1) {}

  double operator()(int64_t i) const {
    if (eval::isFloat(tensor.element))
      return eval::loadFloat(tensor, i);
    auto value = static_cast<double>(eval::loadInt(tensor, i));
    if (!tensor.quant)
      return value;
    int64_t c = channel(i);
    return (value - static_cast<double>(tensor.quant->zeroPoint(c))) *
           tensor.quant->scale(c);
  }

private:
  const Tensor &tensor;
  eval::AxisIndex channel;
};
} // namespace

/// "int8 codes", "float32".
static std::string typeName(const Tensor &tensor) {
  return std::string(eval::name(tensor.element)) +
         (tensor.quant ? " codes" : "");
}

static std::optional<double> signalToNoise(const Tensor &ours,
                                           const Tensor &reference) {
  RealReader found(ours), expected(reference);
  double signal = 0, noise = 0;
  for (int64_t i = 0, e = ours.count(); i < e; ++i) {
    double wanted = expected(i), error = found(i) - wanted;
    signal += wanted * wanted;
    noise += error * error;
  }
  if (noise == 0 || signal == 0 || !std::isfinite(signal / noise))
    return std::nullopt;
  return 10 * std::log10(signal / noise);
}

report::TensorDifference tally::distance(const Tensor &ours,
                                         const Tensor &reference) {
  report::TensorDifference result;
  result.type = typeName(ours);
  result.isFloat = eval::isFloat(ours.element);
  result.isCodes = ours.isQuantized();
  result.count = ours.count();
  if (auto difference = compareBits(ours, reference)) {
    result.different = difference->count;
    result.largest = difference->largest;
  }
  if (!result.isFloat)
    for (int64_t i = 0; i < result.count; ++i)
      ++result.histogram[eval::loadInt(ours, i) - eval::loadInt(reference, i)];
  result.sqnr = signalToNoise(ours, reference);
  return result;
}

static int64_t largestOf(const RealReader &value, int64_t first, int64_t size) {
  int64_t best = 0;
  for (int64_t i = 1; i < size; ++i)
    if (value(first + i) > value(first + best))
      best = i;
  return best;
}

report::DecisionAgreement tally::decisionAgreement(const Tensor &ours,
                                                   const Tensor &reference) {
  report::DecisionAgreement result;
  RealReader found(ours), expected(reference);
  int64_t size = ours.shape.back();
  for (int64_t first = 0; first < ours.count(); first += size) {
    ++result.count;
    result.agree +=
        largestOf(found, first, size) == largestOf(expected, first, size);
  }
  return result;
}
