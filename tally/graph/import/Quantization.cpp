//===- Quantization.cpp - import of Quantize and Dequantize ---------------===//

#include "tally/graph/import/NodeImport.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// Blocked quantization and non-default precisions, refused by name.
static Status refuseBlocks(NodeImport &node) {
  if (node.intAttr("block_size", 0) != 0)
    return node.unsupported("blocked quantization (block_size) is not "
                            "supported yet");
  return Status::success();
}

static Status quantizeLinear(NodeImport &node) {
  if (Status status = refuseBlocks(node); !status)
    return status;
  Value input = node.operand(0);
  auto grid = node.grid(1, 2, eval::Element::U8, node.intAttr("axis", 1),
                        tensorType(input).getRank());
  if (!grid)
    return grid.takeError();
  return node.bind(
      node.create<QuantizeOp>(quantizedType(node.context(), *grid), input));
}

static Status dequantizeLinear(NodeImport &node) {
  if (Status status = refuseBlocks(node); !status)
    return status;
  Value input = node.operand(0);
  auto element = elementOf(elementType(input));
  auto grid = node.grid(1, 2, *element, node.intAttr("axis", 1),
                        tensorType(input).getRank());
  if (!grid)
    return grid.takeError();
  auto codes = node.codes(0, *grid);
  if (!codes)
    return codes.takeError();
  return node.bind(node.create<DequantizeOp>({}, *codes));
}

llvm::ArrayRef<ImportRow> tally::nn::quantizationRows() {
  static const ImportRow rows[] = {
      {"", "DequantizeLinear", 10, dequantizeLinear},
      {"", "QuantizeLinear", 10, quantizeLinear},
      {"com.microsoft", "DequantizeLinear", 1, dequantizeLinear},
      {"com.microsoft", "QuantizeLinear", 1, quantizeLinear},
  };
  return rows;
}
