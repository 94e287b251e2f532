//===- Gather.cpp - slices of a dimension, in an order --------------------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Indexing.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult GatherOp::inferReturnTypeComponents(MLIRContext *,
                                                  MaybeLocation location,
                                                  Adaptor op,
                                                  Inferred &inferred) {
  ArrayRef<int64_t> data = shapeOf(op.getData());
  ArrayRef<int64_t> indices = shapeOf(op.getIndices());
  auto axis = static_cast<int64_t>(op.getAxis());
  if (axis < 0 || axis >= static_cast<int64_t>(data.size()))
    return reject(location, "GATHER-1",
                  "axis " + Twine(axis) + " is no dimension of " +
                      shapeText(data));
  if (failed(checkIndexed(location, op.getData(), op.getIndices())))
    return failure();
  bool picksNothing = llvm::is_contained(indices, 0);
  if (!picksNothing && failed(checkNotEmpty(location, op.getData(), axis)))
    return failure();
  SmallVector<int64_t> shape(data.take_front(axis));
  llvm::append_range(shape, indices);
  llvm::append_range(shape, data.drop_front(axis + 1));
  infer(inferred, shape, elementType(op.getData()));
  return success();
}

Status GatherOp::evaluate(eval::Request &request) {
  eval::Tensor data =
      eval::onGridOf(request.in(0), request.out(), request.profile);
  const eval::Tensor &indices = request.in(1);
  eval::Shape strides = eval::stridesOf(data.shape);
  eval::Shape indexStrides = eval::stridesOf(indices.shape);
  auto axis = static_cast<size_t>(getAxis());
  size_t width = indexStrides.size();
  eval::copyElements(data, request.out(), [&](eval::Index index) {
    int64_t source = 0;
    for (size_t d = 0; d < axis; ++d)
      source += index[d] * strides[d];
    for (size_t d = axis + 1; d < strides.size(); ++d)
      source += index[d + width - 1] * strides[d];
    int64_t picked = eval::loadInt(
        indices, eval::positionOf(index.subspan(axis, width), indexStrides));
    return source + eval::clampIndex(picked, data.shape[axis]) * strides[axis];
  });
  return Status::success();
}
