//===- Normalizations.cpp - rules shared by normalizing operators ---------===//

#include "tally/ops/Normalizations.h"
#include "tally/eval/Elementwise.h"
#include "tally/graph/Rejection.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult tally::nn::checkFloat(MaybeLocation location, StringRef rule,
                                    Type element, bool allowF64) {
  if (isa<FloatType>(element) && (allowF64 || !element.isF64()))
    return success();
  return (isa<FloatType>(element) ? rejectUnsupported : reject)(
      location, rule,
      "no normalization of elements of type " + typeText(element));
}

LogicalResult tally::nn::checkAxis(MaybeLocation location, StringRef rule,
                                   Value input, int64_t axis) {
  ArrayRef<int64_t> shape = shapeOf(input);
  if (axis >= 0 && axis < static_cast<int64_t>(shape.size()))
    return success();
  return reject(location, rule,
                "axis " + Twine(axis) + " is not a dimension of " +
                    shapeText(shape));
}

LogicalResult tally::nn::checkPerChannel(MaybeLocation location, StringRef rule,
                                         Value parameter, int64_t count) {
  if (!parameter || shapeOf(parameter) == ArrayRef<int64_t>(count))
    return success();
  return reject(location, rule,
                "parameters " + shapeText(shapeOf(parameter)) +
                    " must have shape " + Twine(count));
}

std::vector<int64_t> tally::nn::broadcastIndices(ArrayRef<int64_t> to,
                                                 ArrayRef<int64_t> from) {
  eval::Shape full(to.begin(), to.end()), part(from.begin(), from.end());
  std::vector<int64_t> indices;
  indices.reserve(eval::elementCount(full));
  eval::forEachBroadcast(full, full, part, [&](int64_t, int64_t, int64_t i) {
    indices.push_back(i);
  });
  return indices;
}
