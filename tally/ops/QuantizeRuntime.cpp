//===- QuantizeRuntime.cpp - to codes with a scale known when run ---------===//

#include "tally/eval/RuntimeQuantization.h"
#include "tally/graph/Rejection.h"
#include "tally/ops/RuntimeScales.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static LogicalResult checkElements(MaybeLocation location,
                                   QuantizeRuntimeOp::Adaptor op) {
  Type input = elementType(op.getInput()), scale = elementType(op.getScale());
  if (!input.isF32() || !scale.isF32())
    return rejectUnsupported(location, "RTQ-1",
                             "cannot quantize elements of type " +
                                 typeText(input) + " with a scale of type " +
                                 typeText(scale) + " known only when run");
  auto code = dyn_cast<IntegerType>(op.getElement());
  bool fits = code && (code.getWidth() == 8 || code.getWidth() == 16) &&
              !code.isSigned();
  int64_t bits = op.getBits();
  fits = fits && (bits == 0 || (bits >= 2 && bits <= int64_t(code.getWidth())));
  if (op.getZeroPoint())
    fits = fits && elementType(op.getZeroPoint()) == code;
  if (!fits)
    return reject(location, "RTQ-3",
                  "no codes of type " + typeText(op.getElement()) + " with " +
                      Twine(bits) + " bits and this zero point");
  return success();
}

LogicalResult QuantizeRuntimeOp::inferReturnTypeComponents(
    MLIRContext *, MaybeLocation location, Adaptor op, Inferred &inferred) {
  if (failed(checkElements(location, op)) ||
      failed(checkRuntimeScales(location, "RTQ-2", op.getInput(), op.getScale(),
                                op.getZeroPoint(), op.getAxis(),
                                op.getBlockSize())))
    return failure();
  infer(inferred, shapeOf(op.getInput()), op.getElement());
  return success();
}

Status QuantizeRuntimeOp::evaluate(eval::Request &request) {
  return eval::evaluateQuantizeRuntime(request, getAxis(), getBlockSize(),
                                       getBits());
}
