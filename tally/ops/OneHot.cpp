//===- OneHot.cpp - a new dimension that is on at one index ---------------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult OneHotOp::inferReturnTypeComponents(MLIRContext *,
                                                  MaybeLocation location,
                                                  Adaptor op,
                                                  Inferred &inferred) {
  SmallVector<int64_t> shape(shapeOf(op.getIndices()));
  auto depth = static_cast<int64_t>(op.getDepth()),
       axis = static_cast<int64_t>(op.getAxis());
  if (depth < 1 || axis < 0 || axis > static_cast<int64_t>(shape.size()))
    return reject(location, "ONEHOT-1",
                  "depth " + Twine(depth) + " at axis " + Twine(axis) +
                      " is no new dimension of " + shapeText(shape));
  Type element = elementType(op.getValues());
  if (shapeOf(op.getValues()) != ArrayRef<int64_t>{2} ||
      isa<QuantizedType>(element) ||
      isa<QuantizedType>(elementType(op.getIndices())))
    return reject(location, "ONEHOT-2",
                  "values of type " + typeText(op.getValues().getType()) +
                      " must be two plain numbers, for indices of type " +
                      typeText(elementType(op.getIndices())));
  shape.insert(shape.begin() + axis, depth);
  infer(inferred, shape, element);
  return success();
}

/// The place in [0, depth) that an index names, or -1.
static int64_t placeOf(const eval::Tensor &indices, int64_t i, int64_t depth) {
  if (!eval::isFloat(indices.element)) {
    int64_t index = eval::loadInt(indices, i);
    index += index < 0 ? depth : 0;
    return index < depth ? std::max<int64_t>(index, -1) : -1;
  }
  double index = eval::loadFloat(indices, i);
  // Also NaN, for which no comparison holds.
  if (!(index > -static_cast<double>(depth) - 1 &&
        index < static_cast<double>(depth)))
    return -1;
  auto whole = static_cast<int64_t>(index);
  return whole < 0 ? whole + depth : whole;
}

Status OneHotOp::evaluate(eval::Request &request) {
  const eval::Tensor &indices = request.in(0), &values = request.in(1);
  eval::Tensor &out = request.out();
  eval::Shape strides = eval::stridesOf(indices.shape);
  auto axis = static_cast<size_t>(getAxis());
  auto depth = static_cast<int64_t>(getDepth());
  eval::forEachIndex(out.shape, [&](int64_t i, eval::Index index) {
    int64_t position = 0;
    for (size_t d = 0; d < strides.size(); ++d)
      position += strides[d] * index[d < axis ? d : d + 1];
    bool isOn = placeOf(indices, position, depth) == index[axis];
    eval::copyElement(values, isOn ? 1 : 0, out, i);
  });
  return Status::success();
}
