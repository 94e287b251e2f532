//===- ScatterNd.cpp - writes slices at index tuples ----------------------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Indexing.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult ScatterNdOp::inferReturnTypeComponents(MLIRContext *,
                                                     MaybeLocation location,
                                                     Adaptor op,
                                                     Inferred &inferred) {
  ArrayRef<int64_t> data = shapeOf(op.getData());
  ArrayRef<int64_t> indices = shapeOf(op.getIndices());
  ArrayRef<int64_t> updates = shapeOf(op.getUpdates());
  bool fit =
      !indices.empty() && indices.back() <= static_cast<int64_t>(data.size());
  if (fit) {
    SmallVector<int64_t> expected(indices.drop_back());
    llvm::append_range(expected, data.drop_front(indices.back()));
    fit = ArrayRef(expected) == updates;
  }
  if (!fit)
    return reject(location, "SCATTERND-1",
                  "indices of shape " + shapeText(indices) +
                      " and updates of shape " + shapeText(updates) +
                      " do not fit data of shape " + shapeText(data));
  if (failed(checkIndexed(location, op.getData(), op.getIndices())) ||
      failed(checkUpdates(location, op.getData(), op.getUpdates(),
                          op.getReduction())))
    return failure();
  bool writesNothing = llvm::is_contained(indices, 0);
  for (int64_t d = 0; !writesNothing && d < indices.back(); ++d)
    if (failed(checkNotEmpty(location, op.getData(), d)))
      return failure();
  infer(inferred, data, elementType(op.getData()));
  return success();
}

Status ScatterNdOp::evaluate(eval::Request &request) {
  const eval::Tensor &indices = request.in(1), &updates = request.in(2);
  eval::Tensor &out = request.out();
  eval::Shape strides = eval::stridesOf(out.shape);
  eval::Shape indexStrides = eval::stridesOf(indices.shape);
  eval::UpdateKind kind = updateKind(getReduction());
  size_t lead = indices.shape.size() - 1;
  int64_t tuple = indices.shape.back();
  std::memcpy(out.storage.get(), request.in(0).storage.get(), out.byteCount());
  eval::forEachIndex(updates.shape, [&](int64_t i, eval::Index index) {
    int64_t first = eval::positionOf(index.first(lead), indexStrides);
    int64_t to = 0;
    for (int64_t d = 0; d < tuple; ++d)
      to += strides[d] *
            eval::clampIndex(eval::loadInt(indices, first + d), out.shape[d]);
    for (size_t d = lead; d < index.size(); ++d)
      to += strides[d - lead + tuple] * index[d];
    eval::update(kind, out, to, updates, i);
  });
  return Status::success();
}
