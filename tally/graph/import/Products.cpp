//===- Products.cpp - import of matrix products ---------------------------===//

#include "tally/graph/import/NodeImport.h"

using namespace tally;
using namespace tally::nn;

static Status gemm(NodeImport &node) {
  auto &builder = node.builder;
  auto flag = [&](const char *name) {
    return builder.getBoolAttr(node.intAttr(name, 0) != 0);
  };
  return node.bind(
      node.create<GemmOp>({}, node.operand(0), node.operand(1), node.operand(2),
                          builder.getF32FloatAttr(node.floatAttr("alpha", 1)),
                          builder.getF32FloatAttr(node.floatAttr("beta", 1)),
                          flag("transA"), flag("transB")));
}

llvm::ArrayRef<ImportRow> tally::nn::productRows() {
  static const ImportRow rows[] = {
      {"", "Gemm", 7, gemm},
  };
  return rows;
}
