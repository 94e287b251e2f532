//===- ImportedConstant.cpp - a model's constants as operations -----------===//

#include "tally/graph/import/ImportedConstant.h"
#include "tally/graph/Locations.h"
#include "tally/graph/import/ModelTensor.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

void tally::nn::noteNarrow(ImportedValues &imported, const std::string &name,
                           model::ElementType type) {
  if (model::isInteger(type) && model::elementBits(type) < 8)
    imported.narrow[name] = type;
}

static tally::Diagnostic unhandled(const model::TensorData &data) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "IMP-7";
  failure.message = "constant '" + data.name + "' is a " +
                    std::string(elementTypeName(data.type)) +
                    " tensor, which no executor handles";
  return failure;
}

static Result<Value> constantFor(OpBuilder &builder,
                                 const model::TensorData &data) {
  auto tensor = sharedTensor(data);
  if (!tensor)
    return unhandled(data);
  MLIRContext *context = builder.getContext();
  auto type =
      RankedTensorType::get(data.dims, typeOf(context, tensor->element));
  Location loc = nodeLocation(context, data.name, "Constant", {data.name});
  return ConstantOp::create(builder, loc, type,
                            elementsAttr(context, *tensor, data.name))
      .getResult();
}

Status tally::nn::importConstant(OpBuilder &builder, ImportedValues &imported,
                                 const model::TensorData &data) {
  Value &shared = imported.constants[&data];
  if (!shared) {
    auto made = constantFor(builder, data);
    if (!made)
      return made.takeError();
    shared = *made;
  }
  noteNarrow(imported, data.name, data.type);
  imported.values[data.name] = shared;
  return Status::success();
}
