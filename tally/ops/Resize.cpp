//===- Resize.cpp - weighted sums of few neighbours along dimensions ------===//

#include "tally/eval/Resampling.h"
#include "tally/ops/Movement.h"

#include <cstdlib>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static bool axesFit(ResizeOp::Adaptor op, int64_t rank) {
  ArrayRef<int64_t> axes = op.getAxes();
  size_t n = axes.size();
  bool fit = n >= 1 && n <= 3 && op.getSizes().size() == n &&
             op.getSources().size() == n && op.getWeights().size() == n;
  for (size_t i = 0; fit && i < n; ++i)
    fit = axes[i] >= 0 && axes[i] < rank && (i == 0 || axes[i] > axes[i - 1]);
  return fit;
}

static bool sourcesFit(ArrayRef<int64_t> sources, size_t weights, int64_t size,
                       int64_t dim) {
  auto count = static_cast<int64_t>(sources.size());
  auto exists = [&](int64_t source) { return source >= 0 && source < dim; };
  if (size < 0 || sources.size() != weights || !llvm::all_of(sources, exists))
    return false;
  return size == 0 ? count == 0 : count > 0 && count % size == 0;
}

static bool weightsFit(ArrayRef<int64_t> weights, int64_t size) {
  size_t taps = size == 0 ? 1 : weights.size() / static_cast<size_t>(size);
  for (size_t first = 0; first < weights.size(); first += taps) {
    int64_t sum = 0;
    for (int64_t weight : weights.slice(first, taps)) {
      if (weight < -(1 << 24) || weight > 1 << 24)
        return false;
      sum += std::abs(weight);
    }
    if (sum > 1 << 26)
      return false;
  }
  return true;
}

static bool canBeSummed(Type element) {
  if (auto codes = dyn_cast<UniformQuantizedType>(element))
    return codes.getStorageTypeIntegralWidth() <= 16;
  auto integer = dyn_cast<IntegerType>(element);
  return isa<FloatType>(element) ||
         (integer && integer.getWidth() > 1 && integer.getWidth() <= 32);
}

LogicalResult ResizeOp::inferReturnTypeComponents(MLIRContext *,
                                                  MaybeLocation location,
                                                  Adaptor op,
                                                  Inferred &inferred) {
  SmallVector<int64_t> shape(shapeOf(op.getInput()));
  if (!axesFit(op, static_cast<int64_t>(shape.size())))
    return reject(location, "RESIZE-1",
                  "axes [" + listText(op.getAxes()) +
                      "] must be 1 to 3 dimensions of " + shapeText(shape) +
                      " in ascending order, each with a size, sources and "
                      "weights");
  Type element = elementType(op.getInput());
  if (!canBeSummed(element))
    return reject(location, "RESIZE-3",
                  "no weighted sum of elements of type " + typeText(element));
  for (auto [axis, size, sources, weights] : llvm::zip(
           op.getAxes(), op.getSizes(), op.getSources(), op.getWeights())) {
    ArrayRef<int64_t> sourceList = cast<DenseI64ArrayAttr>(sources),
                      weightList = cast<DenseI64ArrayAttr>(weights);
    if (!sourcesFit(sourceList, weightList.size(), size, shape[axis]))
      return reject(location, "RESIZE-2",
                    Twine(sourceList.size()) + " sources and " +
                        Twine(weightList.size()) + " weights do not take " +
                        Twine(size) + " sums from dimension " + Twine(axis) +
                        " of size " + Twine(shape[axis]));
    if (!weightsFit(weightList, size))
      return reject(location, "RESIZE-4",
                    "the weights of dimension " + Twine(axis) +
                        " are too large");
    shape[axis] = size;
  }
  infer(inferred, shape, element);
  return success();
}

Status ResizeOp::evaluate(eval::Request &request) {
  std::vector<eval::ResampledAxis> axes;
  for (auto [axis, size, sources, weights] :
       llvm::zip(getAxes(), getSizes(), getSources(), getWeights()))
    axes.push_back({axis, size, cast<DenseI64ArrayAttr>(sources).asArrayRef(),
                    cast<DenseI64ArrayAttr>(weights).asArrayRef()});
  return eval::evaluateResampling(request, axes);
}
