//===- GraphInterface.cpp - what an imported graph takes and gives --------===//

#include "tally/driver/GraphInterface.h"
#include "tally/graph/Types.h"
#include "tally/ops/State.h"
#include "tally/rewrite/state/Declare.h"

using namespace mlir;
using namespace tally;
using runtime::TensorInterface;

static TensorInterface describe(Type type, StringAttr name) {
  eval::Tensor tensor = nn::describe(cast<RankedTensorType>(type));
  return {name ? name.str() : "", tensor.element, tensor.shape, tensor.quant};
}

std::vector<TensorInterface> tally::inputInterface(func::FuncOp function) {
  std::vector<TensorInterface> result;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    result.push_back(
        describe(type, function.getArgAttrOfType<StringAttr>(i, "nn.name")));
  return result;
}

std::vector<TensorInterface> tally::outputInterface(func::FuncOp function) {
  std::vector<TensorInterface> result;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    result.push_back(
        describe(type, function.getResultAttrOfType<StringAttr>(i, "nn.name")));
  return result;
}

StatesAbout tally::statesAbout(func::FuncOp function) {
  StatesAbout about;
  for (nn::StateOp state : nn::statesOf(function))
    about.tensors.push_back(
        describe(state.tensorType(), state.getSymNameAttr()));
  if (auto hash =
          function->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(
              rewrite::kStateHash))
    about.hash = static_cast<uint64_t>(hash.getInt());
  return about;
}

std::vector<TensorInterface> tally::givenStateInterface(func::FuncOp function) {
  std::vector<TensorInterface> result;
  for (nn::StateOp state : nn::statesOf(function))
    if (!state.getInit())
      result.push_back(describe(state.tensorType(), state.getSymNameAttr()));
  return result;
}
