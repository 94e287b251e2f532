//===- Concat.cpp - tensors one after the other ---------------------------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Movement.h"
#include "tally/support/CheckedMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static bool fitTogether(Type a, Type b) {
  return sameKind(a, b) && !isa<UniformQuantizedPerAxisType>(a) &&
         !isa<UniformQuantizedPerAxisType>(b);
}

/// Adds `next` to `shape` along `axis`; false when they do not fit.
static bool append(SmallVectorImpl<int64_t> &shape, ArrayRef<int64_t> next,
                   int64_t axis) {
  if (shape.size() != next.size())
    return false;
  for (size_t d = 0; d < shape.size(); ++d)
    if (static_cast<int64_t>(d) != axis && shape[d] != next[d])
      return false;
  auto sum = checkedAdd(shape[axis], next[axis]);
  shape[axis] = sum.value_or(0);
  return sum.has_value();
}

LogicalResult ConcatOp::inferReturnTypeComponents(MLIRContext *,
                                                  MaybeLocation location,
                                                  Adaptor op,
                                                  Inferred &inferred) {
  ValueRange inputs = op.getInputs();
  auto axis = static_cast<int64_t>(op.getAxis());
  if (inputs.empty() || axis < 0 ||
      axis >= static_cast<int64_t>(shapeOf(inputs[0]).size()))
    return reject(location, "CONCAT-1",
                  "axis " + Twine(axis) +
                      " must be a dimension of at least one operand");
  SmallVector<int64_t> shape(shapeOf(inputs[0]));
  Type element = elementType(inputs[0]);
  for (Value input : inputs.drop_front())
    if (!append(shape, shapeOf(input), axis))
      return reject(location, "CONCAT-2",
                    "cannot join " + shapeText(shapeOf(inputs[0])) + " and " +
                        shapeText(shapeOf(input)) + " along dimension " +
                        Twine(axis));
  for (Value input : inputs)
    if (!fitTogether(element, elementType(input)))
      return reject(location, "CONCAT-3",
                    "cannot join elements of type " + typeText(element) +
                        " and " + typeText(elementType(input)));
  infer(inferred, shape, element);
  return success();
}

Status ConcatOp::evaluate(eval::Request &request) {
  eval::Tensor &out = request.out();
  eval::Shape strides = eval::stridesOf(out.shape);
  int64_t offset = 0;
  for (const eval::Tensor *input : request.inputs) {
    eval::Tensor part = eval::onGridOf(*input, out, request.profile);
    eval::forEachIndex(part.shape, [&](int64_t i, eval::Index index) {
      eval::copyElement(part, i, out,
                        offset + eval::positionOf(index, strides));
    });
    offset += part.shape[getAxis()] * strides[getAxis()];
  }
  return Status::success();
}
