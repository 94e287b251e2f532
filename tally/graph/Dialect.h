//===- Dialect.h - the nn dialect -------------------------------*- C++ -*-===//

#ifndef TALLY_GRAPH_DIALECT_H
#define TALLY_GRAPH_DIALECT_H

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Dialect.h"

#include "tally/graph/Dialect.h.inc"

#endif // TALLY_GRAPH_DIALECT_H
