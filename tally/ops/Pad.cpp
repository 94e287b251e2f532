//===- Pad.cpp - surrounds a tensor with one value ------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/eval/Movement.h"
#include "tally/ops/Movement.h"
#include "tally/support/CheckedMath.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static LogicalResult checkValue(MaybeLocation location, PadOp::Adaptor op) {
  Type element = elementType(op.getInput());
  if (isa<UniformQuantizedPerAxisType>(element))
    return reject(location, "PAD-4",
                  "cannot pad " + typeText(op.getInput().getType()) +
                      ", whose grid is not one per tensor");
  if (!op.getValue())
    return success();
  RankedTensorType value = tensorType(op.getValue());
  bool isReal = value.getElementType().isF32() && isa<QuantizedType>(element);
  if (value.getNumElements() != 1 ||
      (!isReal && !sameKind(value.getElementType(), element)))
    return reject(location, "PAD-3",
                  "a pad value of type " + typeText(value) +
                      " does not fit elements of type " + typeText(element));
  return success();
}

LogicalResult PadOp::inferReturnTypeComponents(MLIRContext *,
                                               MaybeLocation location,
                                               Adaptor op, Inferred &inferred) {
  SmallVector<int64_t> shape(shapeOf(op.getInput()));
  ArrayRef<int64_t> before = op.getBefore(), after = op.getAfter();
  if (before.size() != shape.size() || after.size() != shape.size())
    return reject(location, "PAD-1",
                  "before and after need " + Twine(shape.size()) +
                      " entries, one per dimension of " + shapeText(shape));
  if (failed(checkValue(location, op)))
    return failure();
  for (size_t d = 0; d < shape.size(); ++d) {
    auto size = checkedAdd(shape[d], before[d]);
    size = size ? checkedAdd(*size, after[d]) : std::nullopt;
    if (!size || *size < 0)
      return reject(location, "PAD-2",
                    "dimension " + Twine(d) + " of size " + Twine(shape[d]) +
                        " cannot be padded by " + Twine(before[d]) + " and " +
                        Twine(after[d]));
    shape[d] = *size;
  }
  infer(inferred, shape, elementType(op.getInput()));
  return success();
}

bool PadOp::hasQuantizedMeaning(ArrayRef<RankedTensorType> operands,
                                RankedTensorType result) {
  if (!allPerTensor(operands.take_front(1), result))
    return false;
  RankedTensorType value = operands.size() > 1 ? operands[1] : nullptr;
  return !value || value.getElementType().isF32() ||
         allPerTensor({value}, result);
}

/// The code of a real pad value.
static int64_t codeOf(float value, const eval::Quantization &grid) {
  if (std::isnan(value))
    return grid.qmin;
  if (std::isinf(value))
    return value > 0 ? grid.qmax : grid.qmin;
  return eval::GridRounder(grid).code(eval::exact(value));
}

/// One element of the result's kind that holds the pad value.
static eval::Tensor padElement(const eval::Request &request,
                               const eval::Tensor &out) {
  eval::Tensor element;
  element.element = out.element;
  element.quant = out.quant;
  element.allocate(); // zeroed: the default of plain numbers
  if (!request.has(1)) {
    if (out.isQuantized())
      eval::storeInt(element, 0, out.quant->zeroPoint());
    return element;
  }
  const eval::Tensor &value = request.in(1);
  if (!out.isQuantized() || value.isQuantized())
    return eval::onGridOf(value, out, request.profile);
  auto real = static_cast<float>(eval::loadFloat(value, 0));
  eval::storeInt(element, 0, codeOf(real, *out.quant));
  return element;
}

Status PadOp::evaluate(eval::Request &request) {
  eval::Tensor &out = request.out();
  eval::Tensor in = eval::onGridOf(request.in(0), out, request.profile);
  eval::Tensor border = padElement(request, out);
  eval::Shape strides = eval::stridesOf(in.shape);
  eval::forEachIndex(out.shape, [&](int64_t i, eval::Index index) {
    int64_t source = 0;
    bool isInside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      int64_t place = index[d] - getBefore()[d];
      isInside &= place >= 0 && place < in.shape[d];
      source += place * strides[d];
    }
    eval::copyElement(isInside ? in : border, isInside ? source : 0, out, i);
  });
  return Status::success();
}
