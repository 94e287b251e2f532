//===- BiasRows.h - a product and its bias in two nodes ---------*- C++ -*-===//

#ifndef TALLY_GRAPH_IMPORT_BIASROWS_H
#define TALLY_GRAPH_IMPORT_BIASROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::nn {

/// Reads a MatMul of dequantized operands, whose right one is a matrix, and an
/// Add of a constant row behind it as the Gemm that exporters write in two
/// nodes, where a Quantize reads the sum (through clamps and movements at
/// most). So the bias is part of the exact real that the Quantize rounds.
/// Leading dimensions become rows, by reshapes around the Gemm.
///
/// In floats it is the same, bit for bit: nn.gemm adds its row after the sum of
/// products. Other readers of the product keep the MatMul.
///
/// Example: Q(Add(MatMul(DQ(x), DQ(w)), [0.5, -1])) with x of 2x3x4 and w of
/// 4x2 becomes Q(Reshape(Gemm(Reshape(DQ(x)), DQ(w), [0.5, -1]))), rows 2x3.
void joinBiasRows(mlir::func::FuncOp function);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_BIASROWS_H
