//===- Stacking.cpp - what the steps of a loop give
//------------------------===//

#include "tally/graph/import/Stacking.h"
#include "tally/graph/import/ModelTensor.h"
#include "tally/graph/import/MovementSteps.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// An output that no step gives a part of, by what the body says of its parts.
static Result<ImportedValue> emptyStack(NodeImport &node, int64_t axis,
                                        const model::ValueInfo &part) {
  auto element = elementOfModel(part.type);
  bool isKnown = element && part.dims;
  eval::Tensor tensor;
  for (size_t d = 0; isKnown && d < part.dims->size(); ++d) {
    isKnown = (*part.dims)[d].kind == model::Dim::Kind::Fixed;
    tensor.shape.push_back((*part.dims)[d].size);
  }
  if (!isKnown)
    return node.failure(FailureKind::Unsupported, "FLOW-6",
                        "the loop does not run, and the model does not state "
                        "the type and shape of '" +
                            model::printable(part.name) +
                            "', which it would stack");
  auto checked = checkedAxis(node, axis, part.dims->size() + 1);
  if (!checked)
    return checked.takeError();
  tensor.shape.insert(tensor.shape.begin() + *checked, 0);
  tensor.element = *element;
  tensor.allocate();
  return ImportedValue{
      node.makeConstant(tensor, typeOf(node.context(), *element))};
}

Result<ImportedValue> tally::nn::stacked(NodeImport &node,
                                         ArrayRef<ImportedValue> steps,
                                         int64_t axis,
                                         const model::ValueInfo &part) {
  if (steps.empty())
    return emptyStack(node, axis, part);
  SmallVector<Value> parts;
  for (const ImportedValue &step : steps) {
    Value value = node.plain(step.value);
    auto checked = checkedAxis(node, axis, tensorType(value).getRank() + 1);
    if (!checked)
      return checked.takeError();
    axis = *checked;
    if (!parts.empty() && tensorType(value).getElementType() !=
                              tensorType(parts[0]).getElementType())
      return node.failure(FailureKind::Model, "FLOW-6",
                          "the steps give different types to one output");
    SmallVector<int64_t> shape(shapeOf(value));
    shape.insert(shape.begin() + axis, 1);
    auto part = reshaped(node, value, shape);
    if (!part)
      return part.takeError();
    parts.push_back(*part);
  }
  if (parts.size() == 1)
    return ImportedValue{parts[0], steps[0].narrow};
  auto whole =
      node.create<ConcatOp>({}, parts, node.builder.getI64IntegerAttr(axis));
  if (!whole)
    return whole.takeError();
  return ImportedValue{*whole, steps[0].narrow};
}
