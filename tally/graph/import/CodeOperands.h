//===- CodeOperands.h - operands with scale and zero point ------*- C++ -*-===//
//
// Operators such as QLinearConv carry scale and zero point beside each code
// tensor. Their import reads such a triple as one quantized value.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_IMPORT_CODEOPERANDS_H
#define TALLY_GRAPH_IMPORT_CODEOPERANDS_H

#include "tally/graph/import/NodeImport.h"

namespace tally::nn {

/// Operand `x` as codes of the grid in operands `scale` and `zeroPoint`: of one
/// entry, or of several that follow `axis` where one is named.
Result<mlir::Value> codesOperand(NodeImport &node, size_t x, size_t scale,
                                 size_t zeroPoint,
                                 std::optional<int64_t> axis = {});

/// The quantized element type of a result, per tensor, given by operands
/// `scale` and `zeroPoint`; without a zero point the codes are those of
/// operand `like`.
Result<mlir::Type> resultElement(NodeImport &node, size_t scale,
                                 size_t zeroPoint, size_t like = 0);

/// Operand `bias` as i32 codes of scale fl32(scaleA * scaleB[c]), its last
/// dimension following the scales of `weight`; a null value when absent.
Result<mlir::Value> biasOperand(NodeImport &node, size_t bias, float scaleA,
                                const eval::Quantization &weight);

/// Whether the scales and zero points at these operands are all constants; a
/// zero point may be absent.
bool areConstant(NodeImport &node, llvm::ArrayRef<size_t> operands);

/// Where the scales of a product's operands follow its sums, when they have
/// several entries; nothing where they may not.
struct ScaleAxes {
  std::optional<int64_t> a, b;
};

/// The codes of `sums` (i32, in units of scaleA * scaleB) on a result grid
/// known only when run, as plain integers: with s = fl32(scaleA * scaleB),
/// sat(RHE(fl32(fl32(sum) * s) / resultScale) + resultZeroPoint) (numerics
/// decision 11). Operands are given by position; only one of both scales may
/// have several entries.
Result<mlir::Value> requantizedSums(NodeImport &node, mlir::Value sums,
                                    size_t scaleA, size_t scaleB,
                                    ScaleAxes axes, size_t resultScale,
                                    size_t resultZeroPoint);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_CODEOPERANDS_H
