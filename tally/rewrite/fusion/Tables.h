//===- Tables.h - operators between codes become a table --------*- C++ -*-===//
//
// Exporters write an activation as several operators: Gelu as a division, an
// error function, an addition and two products; HardSwish as an addition, a
// clip, a product and a division. Between codes of 8 bits these are one
// function of a code, hence a table:
//
//   q -> dequantize -> x;  x / c -> erf -> + 1 -> * x -> * 0.5 -> quantize
//     ==> nn.lookup q {256 bytes}
//
// Each entry is what the operators give for that code by their own meaning, so
// no code changes.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_FUSION_TABLES_H
#define TALLY_REWRITE_FUSION_TABLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::rewrite {

/// Replaces elementwise operators that together map the codes of one tensor to
/// codes, and have no other readers. Where results are not exact reals, rounded
/// once (`idealRounding`), operators on codes stay. What a table or two bounds
/// do already stays as well. Remarks are FUSE-17.
void tabulate(mlir::func::FuncOp function, bool idealRounding);

/// Whether every profile gives an operator the same results: it leaves codes,
/// or makes them, as ONNX says, or works on plain numbers.
bool isSameForAllProfiles(mlir::Operation *op);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_FUSION_TABLES_H
