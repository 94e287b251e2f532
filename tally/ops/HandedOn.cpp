//===- HandedOn.cpp - results that a call does not compute ----------------===//

#include "tally/ops/HandedOn.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

Value tally::nn::handedOn(Value value) {
  while (isa_and_nonnull<ReshapeOp, StorageCastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  Operation *op = value.getDefiningOp();
  return !op || isa<ConstantOp, StateReadOp>(op) ? value : Value();
}

static std::string nameOf(func::FuncOp function, Value value) {
  if (auto read = value.getDefiningOp<StateReadOp>())
    return "the old value of state '" + read.getState().str() + "'";
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return "a constant";
  bool isInput = argument.getArgNumber() < ownArguments(function);
  return std::string(isInput ? "the input '" : "the old value of state '") +
         tensorName(argument).str() + "'";
}

std::string tally::nn::whatIsHandedOn(func::FuncOp function, unsigned i) {
  Operation *end = function.getBody().front().getTerminator();
  Value value = handedOn(end->getOperand(i));
  if (!value)
    return "";
  auto node = function.getResultAttrOfType<StringAttr>(i, kHandingNode);
  return nameOf(function, value) +
         (node ? ", which '" + node.str() + "' hands on" : "");
}
