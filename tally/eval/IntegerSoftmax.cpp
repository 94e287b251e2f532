//===- IntegerSoftmax.cpp - softmax on codes in integers ------------------===//
//
// exp(x - max) of codes depends only on the distance of the code from the
// line's largest, so 256 exponentials are all there are. With 30 fraction bits
// a sum of 2^33 of them fits 64 bits, and t / sum is a rational that is rounded
// once onto the result's grid.
//
// Example: two equal codes have t = 2^30 each, 2^30 / 2^31 = 1/2, which is code
// 128 on a grid of scale 1/256.
//
// Against the real softmax: each t is off by at most 1/2 unit, so a line of n
// codes has an error below (n + 1) * 2^-31 before the one rounding.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/IntegerSoftmax.h"
#include "tally/eval/Elementwise.h"
#include "tally/eval/RealFunction.h"
#include "tally/eval/Reduction.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::eval;

std::vector<int64_t> tally::eval::exponentialTable(float scale, int64_t size) {
  RealFunction function = expFunction();
  Quantization integers;
  integers.qmax = int64_t(1) << kExponentialBits;
  integers.scales = {std::ldexp(1.0f, -kExponentialBits)};
  integers.zeroPoints = {0};
  std::vector<int64_t> table;
  table.reserve(size);
  for (int64_t d = 0; d < size; ++d)
    table.push_back(roundFunction(
        function, exact(scale) * mpz_class(static_cast<long>(-d)), integers));
  return table;
}

/// Calls body(first element, elements from there) for each line along `axis`.
static void forEachLine(
    const Tensor &in, int64_t axis,
    const std::function<void(int64_t, const std::vector<int64_t> &)> &body) {
  int64_t axes[] = {axis};
  ReductionOffsets lines(in.shape, axes);
  for (int64_t base : lines.outputs)
    body(base, lines.terms);
}

static int64_t largestCode(const Tensor &in, int64_t base,
                           const std::vector<int64_t> &offsets) {
  int64_t largest = in.quant->qmin;
  for (int64_t offset : offsets)
    largest = std::max(largest, loadInt(in, base + offset));
  return largest;
}

/// QLinearSoftmax: fp32 exponentials and their fp32 sum, in order.
static void softmaxLikeOnnxRuntime(Request &request, int64_t axis) {
  const Tensor &in = request.in(0);
  Tensor &out = request.out();
  std::vector<float> table =
      onnxruntimeExponentials(in.quant->scale(), in.shape[axis], 256);
  forEachLine(in, axis, [&](int64_t base, const auto &offsets) {
    int64_t largest = largestCode(in, base, offsets);
    auto exponential = [&](int64_t offset) {
      return table[largest - loadInt(in, base + offset)];
    };
    float sum = 0;
    for (int64_t offset : offsets)
      sum += exponential(offset);
    for (int64_t offset : offsets)
      storeInt(out, base + offset,
               onnxruntimeShare(exponential(offset), sum, *out.quant));
  });
}

static bool hasMeaning(const Tensor &in, const Tensor &out) {
  return in.isQuantized() && in.quant->perTensor() &&
         in.quant->qmax - in.quant->qmin < 256 && out.isQuantized() &&
         out.quant->perTensor();
}

Status tally::eval::evaluateIntegerSoftmax(Request &request, int64_t axis) {
  const Tensor &in = request.in(0);
  Tensor &out = request.out();
  if (!hasMeaning(in, out))
    return noMeaning(in);
  if (request.profile == Profile::OnnxRuntime) {
    softmaxLikeOnnxRuntime(request, axis);
    return Status::success();
  }
  std::vector<int64_t> table = exponentialTable(in.quant->scale(), 256);
  GridRounder rounder(*out.quant);
  forEachLine(in, axis, [&](int64_t base, const auto &offsets) {
    int64_t largest = largestCode(in, base, offsets), sum = 0;
    for (int64_t offset : offsets)
      sum += table[largest - loadInt(in, base + offset)];
    // The largest code itself contributes 2^30, so the sum is positive.
    for (int64_t offset : offsets) {
      mpq_class share(table[largest - loadInt(in, base + offset)], sum);
      share.canonicalize();
      storeInt(out, base + offset, rounder.code(share));
    }
  });
  return Status::success();
}
