//===- ArgMax.cpp - index of the largest element --------------------------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Reductions.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult ArgMaxOp::inferReturnTypeComponents(MLIRContext *,
                                                  MaybeLocation location,
                                                  Adaptor op,
                                                  Inferred &inferred) {
  return inferArgExtreme(location, getOperationName(), op.getInput(),
                         op.getAxis(), op.getKeepdims(), inferred);
}

Status ArgMaxOp::evaluate(eval::Request &request) {
  return eval::evaluateArgExtreme(request, getAxis(), /*wantsLargest=*/true,
                                  getSelectLast());
}
