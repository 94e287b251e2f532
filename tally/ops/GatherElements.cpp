//===- GatherElements.cpp - one element per index, along a dimension ------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Indexing.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult GatherElementsOp::inferReturnTypeComponents(
    MLIRContext *, MaybeLocation location, Adaptor op, Inferred &inferred) {
  ArrayRef<int64_t> data = shapeOf(op.getData());
  ArrayRef<int64_t> indices = shapeOf(op.getIndices());
  auto axis = static_cast<int64_t>(op.getAxis());
  if (axis < 0 || axis >= static_cast<int64_t>(data.size()) ||
      indices.size() != data.size())
    return reject(location, "GATHERELEM-1",
                  "axis " + Twine(axis) + " and indices of shape " +
                      shapeText(indices) + " do not fit data of shape " +
                      shapeText(data));
  for (size_t d = 0; d < data.size(); ++d)
    if (static_cast<int64_t>(d) != axis && indices[d] > data[d])
      return reject(location, "GATHERELEM-2",
                    "indices of shape " + shapeText(indices) +
                        " are larger than data of shape " + shapeText(data));
  if (failed(checkIndexed(location, op.getData(), op.getIndices())))
    return failure();
  if (!llvm::is_contained(indices, 0) &&
      failed(checkNotEmpty(location, op.getData(), axis)))
    return failure();
  infer(inferred, indices, elementType(op.getData()));
  return success();
}

Status GatherElementsOp::evaluate(eval::Request &request) {
  eval::Tensor data =
      eval::onGridOf(request.in(0), request.out(), request.profile);
  const eval::Tensor &indices = request.in(1);
  eval::Shape strides = eval::stridesOf(data.shape);
  eval::Shape indexStrides = eval::stridesOf(indices.shape);
  auto axis = static_cast<size_t>(getAxis());
  eval::copyElements(data, request.out(), [&](eval::Index index) {
    int64_t picked =
        eval::loadInt(indices, eval::positionOf(index, indexStrides));
    int64_t place = eval::clampIndex(picked, data.shape[axis]);
    return eval::positionOf(index, strides) +
           (place - index[axis]) * strides[axis];
  });
  return Status::success();
}
