//===- Elementwise.cpp - import of unary and binary operators -------------===//

#include "tally/graph/import/NodeImport.h"

using namespace tally;
using namespace tally::nn;

template <typename OpTy> static Status unary(NodeImport &node) {
  return node.bind(node.create<OpTy>({}, node.operand(0)));
}

template <typename OpTy> static Status binary(NodeImport &node) {
  return node.bind(node.create<OpTy>({}, node.operand(0), node.operand(1)));
}

llvm::ArrayRef<ImportRow> tally::nn::elementwiseRows() {
  static const ImportRow rows[] = {
      {"", "Add", 7, binary<AddOp>},
      {"", "Relu", 6, unary<ReluOp>},
  };
  return rows;
}
