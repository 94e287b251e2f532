//===- RuntimeScales.cpp - shape rules of computed scales -----------------===//

#include "tally/ops/RuntimeScales.h"

using namespace mlir;
using namespace tally::nn;

/// The shape of scales that are not a single number.
static SmallVector<int64_t> scalesShape(ArrayRef<int64_t> input, int64_t axis,
                                        int64_t blockSize) {
  if (blockSize == 0)
    return {input[axis]};
  SmallVector<int64_t> shape(input);
  shape[axis] = (shape[axis] + blockSize - 1) / blockSize;
  return shape;
}

LogicalResult tally::nn::checkRuntimeScales(MaybeLocation location,
                                            StringRef rule, Value input,
                                            Value scale, Value zeroPoint,
                                            int64_t axis, int64_t blockSize) {
  ArrayRef<int64_t> shape = shapeOf(input), scales = shapeOf(scale);
  if (zeroPoint && tensorType(zeroPoint).getNumElements() !=
                       tensorType(scale).getNumElements())
    return reject(location, rule,
                  "zero points " + shapeText(shapeOf(zeroPoint)) +
                      " do not match scales " + shapeText(scales));
  if (tensorType(scale).getNumElements() == 1)
    return success();
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()) || blockSize < 0)
    return reject(location, rule,
                  "axis " + Twine(axis) + " and block size " +
                      Twine(blockSize) + " do not fit " + shapeText(shape));
  SmallVector<int64_t> expected = scalesShape(shape, axis, blockSize);
  if (scales == ArrayRef<int64_t>(expected))
    return success();
  return reject(location, rule,
                "scales " + shapeText(scales) + " of a tensor " +
                    shapeText(shape) + " must be a single number or " +
                    shapeText(expected));
}
