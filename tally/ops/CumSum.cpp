//===- CumSum.cpp - running sums along a dimension ------------------------===//

#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult CumSumOp::inferReturnTypeComponents(MLIRContext *,
                                                  MaybeLocation location,
                                                  Adaptor op,
                                                  Inferred &inferred) {
  RankedTensorType input = tensorType(op.getInput());
  auto axis = static_cast<int64_t>(op.getAxis());
  if (axis < 0 || axis >= input.getRank() || quantizedElement(input) ||
      input.getElementType().isInteger(1))
    return reject(location, "CUMSUM-1",
                  "no running sum of " + typeText(input) + " along axis " +
                      Twine(axis));
  infer(inferred, input.getShape(), input.getElementType());
  return success();
}

namespace {
/// One line of elements in summing order.
struct Line {
  int64_t first, stride, count;
};
} // namespace

/// T is the type in which the running sum is kept.
template <typename T, typename Load, typename Store>
static void sumLine(const Line &line, bool exclusive, Load load, Store store) {
  T sum = 0;
  bool isEmpty = true;
  for (int64_t k = 0; k < line.count; ++k) {
    int64_t place = line.first + k * line.stride;
    T element = load(place);
    if (exclusive)
      store(place, sum);
    sum = isEmpty ? element : sum + element;
    isEmpty = false;
    if (!exclusive)
      store(place, sum);
  }
}

static void sumLine(const eval::Tensor &in, eval::Tensor &out, const Line &line,
                    bool exclusive) {
  auto loadFloat = [&](int64_t i) { return eval::loadFloat(in, i); };
  auto storeFloat = [&](int64_t i, double x) { eval::storeFloat(out, i, x); };
  if (in.element == eval::Element::F64)
    return sumLine<double>(line, exclusive, loadFloat, storeFloat);
  if (eval::isFloat(in.element))
    return sumLine<float>(
        line, exclusive,
        [&](int64_t i) { return static_cast<float>(loadFloat(i)); },
        storeFloat);
  sumLine<uint64_t>(
      line, exclusive,
      [&](int64_t i) { return static_cast<uint64_t>(eval::loadInt(in, i)); },
      [&](int64_t i, uint64_t x) {
        eval::storeInt(out, i, static_cast<int64_t>(x));
      });
}

Status CumSumOp::evaluate(eval::Request &request) {
  const eval::Tensor &in = request.in(0);
  int64_t size = in.shape[getAxis()];
  int64_t stride = eval::stridesOf(in.shape)[getAxis()];
  for (int64_t outer = 0, e = in.count(); outer < e; outer += stride * size)
    for (int64_t inner = 0; inner < stride; ++inner) {
      Line line{outer + inner, stride, size};
      if (getReverse())
        line = {outer + inner + (size - 1) * stride, -stride, size};
      sumLine(in, request.out(), line, getExclusive());
    }
  return Status::success();
}
