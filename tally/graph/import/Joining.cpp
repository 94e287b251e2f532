//===- Joining.cpp - import of concatenation ------------------------------===//

#include "tally/graph/import/CodeOperands.h"
#include "tally/graph/import/MovementSteps.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static Result<Value> joined(NodeImport &node, Type element,
                            ArrayRef<Value> parts) {
  if (parts.empty())
    return node.failure(FailureKind::Model, "IMP-6", "there is no input");
  // Only the first operator sets had a default.
  bool hasDefault = node.node.domain.empty() && node.node.opset < 4;
  if (!hasDefault && !node.node.attribute("axis"))
    return node.failure(FailureKind::Model, "IMP-6", "axis is missing");
  auto checked = checkedAxis(node, node.intAttr("axis", 1),
                             tensorType(parts[0]).getRank());
  if (!checked)
    return checked.takeError();
  return node.create<ConcatOp>(element, parts,
                               node.builder.getI64IntegerAttr(*checked));
}

static Status concat(NodeImport &node) {
  SmallVector<Value> parts;
  for (size_t i = 0; i < node.numInputs(); ++i)
    if (node.hasInput(i))
      parts.push_back(node.operand(i));
  if (parts.size() == 1)
    return node.bind(0, parts[0]);
  return node.bind(joined(node, {}, parts));
}

/// Operands: the result's scale and zero point, then codes, scale and zero
/// point of each input.
static Status qlinearConcat(NodeImport &node) {
  if (node.numInputs() < 5 || node.numInputs() % 3 != 2)
    return node.failure(FailureKind::Model, "IMP-11",
                        "operands must be the result's scale and zero point, "
                        "then codes, scale and zero point of each input");
  SmallVector<Value> parts;
  for (size_t i = 2; i < node.numInputs(); i += 3) {
    auto codes = codesOperand(node, i, i + 1, i + 2);
    if (!codes)
      return codes.takeError();
    parts.push_back(*codes);
  }
  auto element = resultElement(node, 0, 1, /*like=*/2);
  if (!element)
    return element.takeError();
  return node.bind(joined(node, *element, parts));
}

llvm::ArrayRef<ImportRow> tally::nn::joiningRows() {
  static const ImportRow rows[] = {
      {"", "Concat", 1, concat},
      {"com.microsoft", "QLinearConcat", 1, qlinearConcat},
  };
  return rows;
}
