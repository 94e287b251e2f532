//===- Reductions.cpp - shape rules of reductions -------------------------===//

#include "tally/ops/Reductions.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

SmallVector<int64_t> tally::nn::reducedShape(ArrayRef<int64_t> shape,
                                             ArrayRef<int64_t> axes,
                                             bool keepdims) {
  SmallVector<int64_t> result;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(d)))
      result.push_back(size);
    else if (keepdims)
      result.push_back(1);
  }
  return result;
}

LogicalResult tally::nn::inferReduction(MaybeLocation location, StringRef name,
                                        ValueRange operands,
                                        ArrayRef<int64_t> axes, bool keepdims,
                                        Inferred &inferred) {
  ArrayRef<int64_t> shape = shapeOf(operands[0]);
  int64_t previous = -1;
  for (int64_t axis : axes) {
    if (axis <= previous || axis >= static_cast<int64_t>(shape.size()))
      return reject(location, "REDUCE-1",
                    name + ": axes [" + shapeText(axes) +
                        "] are not ascending dimensions of " +
                        shapeText(shape));
    previous = axis;
  }
  Type element = elementType(operands[0]);
  if (isa<UniformQuantizedPerAxisType>(element))
    return reject(location, "REDUCE-2",
                  name + ": no reduction of " + typeText(element));
  infer(inferred, reducedShape(shape, axes, keepdims), element);
  return success();
}

LogicalResult tally::nn::inferArgExtreme(MaybeLocation location, StringRef name,
                                         Value input, int64_t axis,
                                         bool keepdims, Inferred &inferred) {
  ArrayRef<int64_t> shape = shapeOf(input);
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()) ||
      shape[axis] == 0)
    return reject(location, "ARG-1",
                  name + ": axis " + Twine(axis) +
                      " is not a dimension with elements of " +
                      shapeText(shape));
  if (isa<UniformQuantizedPerAxisType>(elementType(input)))
    return reject(location, "ARG-2",
                  name + ": no order on " + typeText(elementType(input)));
  infer(inferred, reducedShape(shape, axis, keepdims),
        IntegerType::get(input.getContext(), 64));
  return success();
}
