//===- Terms.cpp - formulas over tensors ----------------------------------===//

#include "tally/graph/import/Terms.h"
#include "tally/graph/import/MovementSteps.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

Value Terms::keep(Result<Value> value) {
  if (value)
    return *value;
  failure = value.takeError();
  return {};
}

Value Terms::cast(Value value, Type element) {
  return failure ? Value() : keep(node.create<CastOp>(element, value));
}

Value Terms::product(Value rows, Value weights, Value addend) {
  OpBuilder &builder = node.builder;
  FloatAttr one = builder.getF32FloatAttr(1);
  return make<GemmOp>(rows, weights, addend, one, one,
                      builder.getBoolAttr(false), builder.getBoolAttr(true));
}

Value Terms::reshape(Value value, ArrayRef<int64_t> shape) {
  return failure ? Value() : keep(reshaped(node, value, shape));
}

Value Terms::transpose(Value value, ArrayRef<int64_t> permutation) {
  return failure ? Value() : keep(transposed(node, value, permutation));
}

Value Terms::slice(Value value, int64_t axis, int64_t start, int64_t size) {
  if (failure)
    return {};
  std::vector<DimRange> ranges = wholeRanges(value);
  ranges[axis] = {start, size, 1};
  return keep(sliced(node, value, ranges));
}

Value Terms::concat(ArrayRef<Value> parts, int64_t axis) {
  if (parts.size() == 1)
    return parts.front();
  return make<ConcatOp>(parts, node.builder.getI64IntegerAttr(axis));
}

Value Terms::filled(double number, ArrayRef<int64_t> shape, Type element) {
  eval::Tensor tensor;
  tensor.element = *elementOf(element);
  tensor.shape = shape.vec();
  tensor.allocate();
  for (int64_t i = 0, e = tensor.count(); i < e; ++i)
    eval::storeFloat(tensor, i, number);
  return node.makeConstant(tensor, element);
}
