//===- ScatterElements.cpp - writes single elements along a dimension -----===//

#include "tally/eval/Movement.h"
#include "tally/ops/Indexing.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult ScatterElementsOp::inferReturnTypeComponents(
    MLIRContext *, MaybeLocation location, Adaptor op, Inferred &inferred) {
  ArrayRef<int64_t> data = shapeOf(op.getData());
  ArrayRef<int64_t> indices = shapeOf(op.getIndices());
  ArrayRef<int64_t> updates = shapeOf(op.getUpdates());
  auto axis = static_cast<int64_t>(op.getAxis());
  bool fit = axis >= 0 && axis < static_cast<int64_t>(data.size()) &&
             indices.size() == data.size() && indices == updates;
  for (size_t d = 0; fit && d < data.size(); ++d)
    fit = static_cast<int64_t>(d) == axis || indices[d] <= data[d];
  if (!fit)
    return reject(location, "SCATTER-1",
                  "indices of shape " + shapeText(indices) +
                      " and updates of shape " + shapeText(updates) +
                      " along axis " + Twine(axis) +
                      " do not fit data of shape " + shapeText(data));
  if (failed(checkIndexed(location, op.getData(), op.getIndices())) ||
      failed(checkUpdates(location, op.getData(), op.getUpdates(),
                          op.getReduction())))
    return failure();
  if (!llvm::is_contained(indices, 0) &&
      failed(checkNotEmpty(location, op.getData(), axis)))
    return failure();
  infer(inferred, data, elementType(op.getData()));
  return success();
}

Status ScatterElementsOp::evaluate(eval::Request &request) {
  const eval::Tensor &indices = request.in(1), &updates = request.in(2);
  eval::Tensor &out = request.out();
  eval::Shape strides = eval::stridesOf(out.shape);
  eval::UpdateKind kind = updateKind(getReduction());
  auto axis = static_cast<size_t>(getAxis());
  std::memcpy(out.storage.get(), request.in(0).storage.get(), out.byteCount());
  eval::forEachIndex(indices.shape, [&](int64_t i, eval::Index index) {
    int64_t place =
        eval::clampIndex(eval::loadInt(indices, i), out.shape[axis]);
    int64_t to = eval::positionOf(index, strides) +
                 (place - index[axis]) * strides[axis];
    eval::update(kind, out, to, updates, i);
  });
  return Status::success();
}
