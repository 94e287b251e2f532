//===- Joining.cpp - import of concatenation ------------------------------===//

#include "tally/graph/import/MovementSteps.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static Result<Value> joined(NodeImport &node, Type element,
                            ArrayRef<Value> parts, int64_t axis) {
  if (parts.empty())
    return node.failure(FailureKind::Model, "IMP-6", "there is no input");
  auto checked = checkedAxis(node, axis, tensorType(parts[0]).getRank());
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
  return node.bind(joined(node, {}, parts, node.intAttr("axis", 1)));
}

/// One grid per tensor; without a zero point it has the codes of operand
/// `codes`.
static Result<eval::Quantization> tensorGrid(NodeImport &node, size_t scale,
                                             size_t zeroPoint, size_t codes) {
  auto grid = node.grid(scale, zeroPoint, node.codeRange(codes), /*axis=*/0,
                        /*rank=*/1);
  if (grid && !grid->perTensor())
    return node.failure(FailureKind::Model, "IMP-8",
                        "operand " + std::to_string(scale) +
                            " must be one scale for the whole tensor");
  return grid;
}

/// Operands: the result's scale and zero point, then codes, scale and zero
/// point of each input.
static Status qlinearConcat(NodeImport &node) {
  if (node.numInputs() < 5 || node.numInputs() % 3 != 2 || !node.hasInput(2))
    return node.failure(FailureKind::Model, "IMP-6",
                        "operands must be the result's scale and zero point, "
                        "then codes, scale and zero point of each input");
  SmallVector<Value> parts;
  for (size_t i = 2; i < node.numInputs(); i += 3) {
    if (!node.hasInput(i))
      return node.failure(FailureKind::Model, "IMP-6",
                          "operand " + std::to_string(i) + " is missing");
    auto grid = tensorGrid(node, i + 1, i + 2, i);
    if (!grid)
      return grid.takeError();
    auto codes = node.codes(i, *grid);
    if (!codes)
      return codes.takeError();
    parts.push_back(*codes);
  }
  auto grid = tensorGrid(node, 0, 1, 2);
  if (!grid)
    return grid.takeError();
  return node.bind(joined(node, quantizedType(node.context(), *grid), parts,
                          node.intAttr("axis", 1)));
}

llvm::ArrayRef<ImportRow> tally::nn::joiningRows() {
  static const ImportRow rows[] = {
      {"", "Concat", 1, concat},
      {"com.microsoft", "QLinearConcat", 1, qlinearConcat},
  };
  return rows;
}
