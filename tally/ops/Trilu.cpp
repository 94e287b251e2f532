//===- Trilu.cpp - the upper or lower triangle of matrices ----------------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult TriluOp::inferReturnTypeComponents(MLIRContext *,
                                                 MaybeLocation location,
                                                 Adaptor op,
                                                 Inferred &inferred) {
  RankedTensorType input = tensorType(op.getInput());
  if (input.getRank() < 2 || quantizedElement(input))
    return reject(location, "TRILU-1",
                  "no triangle of " + typeText(input) +
                      ": matrices of plain numbers are needed");
  infer(inferred, input.getShape(), input.getElementType());
  return success();
}

Status TriluOp::evaluate(eval::Request &request) {
  const eval::Tensor &in = request.in(0);
  eval::Tensor &out = request.out(); // zeroed
  eval::forEachIndex(out.shape, [&](int64_t i, eval::Index index) {
    int64_t row = index[index.size() - 2], column = index.back();
    // Compared as a difference of indices, which cannot overflow.
    int64_t diagonal = column - row;
    bool isKept = getUpper() ? diagonal >= static_cast<int64_t>(getK())
                             : diagonal <= static_cast<int64_t>(getK());
    if (isKept)
      eval::copyElement(in, i, out, i);
  });
  return Status::success();
}
