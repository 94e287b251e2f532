//===- Registration.cpp - the dialect and its operators -------------------===//

#include "tally/ops/Lookup.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"

using namespace mlir;
using namespace tally::nn;

#include "tally/graph/Dialect.cpp.inc"

void NnDialect::initialize() {
  registerNnDialectOperations(this);
  addOperations<LookupOp, ShiftInOp, StateOp, StateReadOp, StateWriteOp>();
}

Operation *NnDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements)
    return nullptr;
  return ConstantOp::create(builder, location, type, elements);
}
