//===- Lookup.cpp - codes by a table --------------------------------------===//

#include "tally/ops/Lookup.h"
#include "tally/eval/Request.h"
#include "tally/graph/Types.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

#define GET_OP_CLASSES
#include "tally/ops/Lookup.cpp.inc"

bool tally::nn::hasAllBytes(Type tensor) {
  auto element = quantizedElement(tensor);
  if (!element)
    return false;
  eval::Quantization grid = gridOf(element);
  return grid.perTensor() && grid.qmax - grid.qmin == 255;
}

LogicalResult LookupOp::verify() {
  auto shape = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  };
  bool fits = hasAllBytes(getInput().getType()) && hasAllBytes(getType()) &&
              shape(getInput()) == shape(getOutput());
  if (!fits)
    return emitOpError() << "has no table of 256 from " << getInput().getType()
                         << " to " << getType() << " [LOOKUP-1]";
  if (getTable().size() != 256)
    return emitOpError() << "has a table of " << getTable().size()
                         << " entries, 256 are needed [LOOKUP-2]";
  return success();
}

Status LookupOp::evaluate(eval::Request &request) {
  const eval::Tensor &in = request.in(0);
  auto codes = reinterpret_cast<const uint8_t *>(in.storage.get());
  auto results = reinterpret_cast<int8_t *>(request.out().storage.get());
  for (int64_t i = 0, e = in.count(); i < e; ++i)
    results[i] = getTable()[codes[i]];
  return Status::success();
}
