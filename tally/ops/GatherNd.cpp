//===- GatherNd.cpp - slices of a tensor at index tuples ------------------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Indexing.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult GatherNdOp::inferReturnTypeComponents(MLIRContext *,
                                                    MaybeLocation location,
                                                    Adaptor op,
                                                    Inferred &inferred) {
  ArrayRef<int64_t> data = shapeOf(op.getData());
  ArrayRef<int64_t> indices = shapeOf(op.getIndices());
  auto batch = static_cast<int64_t>(op.getBatchDims());
  auto dataRank = static_cast<int64_t>(data.size()),
       indexRank = static_cast<int64_t>(indices.size());
  if (batch < 0 || batch >= indexRank || batch >= dataRank ||
      indices.take_front(batch) != data.take_front(batch) ||
      indices.back() < 0 || indices.back() > dataRank - batch)
    return reject(
        location, "GATHERND-1",
        "indices of shape " + shapeText(indices) + " with " + Twine(batch) +
            " batch dimensions do not fit data of shape " + shapeText(data));
  if (failed(checkIndexed(location, op.getData(), op.getIndices())))
    return failure();
  int64_t tuple = indices.back();
  bool picksNothing = llvm::is_contained(indices, 0);
  for (int64_t d = batch; !picksNothing && d < batch + tuple; ++d)
    if (failed(checkNotEmpty(location, op.getData(), d)))
      return failure();
  SmallVector<int64_t> shape(indices.drop_back());
  llvm::append_range(shape, data.drop_front(batch + tuple));
  infer(inferred, shape, elementType(op.getData()));
  return success();
}

Status GatherNdOp::evaluate(eval::Request &request) {
  eval::Tensor data =
      eval::onGridOf(request.in(0), request.out(), request.profile);
  const eval::Tensor &indices = request.in(1);
  eval::Shape strides = eval::stridesOf(data.shape);
  eval::Shape indexStrides = eval::stridesOf(indices.shape);
  size_t lead = indices.shape.size() - 1;
  auto batch = static_cast<size_t>(getBatchDims());
  int64_t tuple = indices.shape.back();
  eval::copyElements(data, request.out(), [&](eval::Index index) {
    int64_t first = eval::positionOf(index.first(lead), indexStrides);
    int64_t source = eval::positionOf(index.first(batch), strides);
    size_t d = batch;
    for (int64_t i = 0; i < tuple; ++i, ++d)
      source += strides[d] * eval::clampIndex(eval::loadInt(indices, first + i),
                                              data.shape[d]);
    for (size_t i = lead; i < index.size(); ++i, ++d)
      source += strides[d] * index[i];
    return source;
  });
  return Status::success();
}
