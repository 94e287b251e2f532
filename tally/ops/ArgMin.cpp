//===- ArgMin.cpp - index of the smallest element -------------------------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Reductions.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult ArgMinOp::inferReturnTypeComponents(MLIRContext *,
                                                  MaybeLocation location,
                                                  Adaptor op,
                                                  Inferred &inferred) {
  return inferArgExtreme(location, getOperationName(), op.getInput(),
                         op.getAxis(), op.getKeepdims(), inferred);
}

Status ArgMinOp::evaluate(eval::Request &request) {
  return eval::evaluateArgExtreme(request, getAxis(), /*wantsLargest=*/false,
                                  getSelectLast());
}
