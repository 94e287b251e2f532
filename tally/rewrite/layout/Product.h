//===- Product.h - matrix products with their operands exchanged *- C++ -*-===//
//
// nn.matmul, nn.matmul_integer and nn.gemm read either operand transposed at no
// cost (transA, transB). So
//
//   (A * B) transposed  =  B transposed * A transposed
//
// is the same operator with its operands exchanged and both flags turned, on
// the same stored tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_LAYOUT_PRODUCT_H
#define TALLY_REWRITE_LAYOUT_PRODUCT_H

#include "mlir/IR/Builders.h"

#include <optional>
#include <string>

namespace tally::rewrite {

bool isProduct(mlir::Operation *op);

/// Whether `value` is a constant or follows from constants alone: weights that
/// a Dequantize keeps as codes are not folded.
bool isWeight(mlir::Value value);

/// Why `product` must not be exchanged; nothing when it may.
struct Refusal {
  std::string reason, suggestion;
};
std::optional<Refusal> whyNotExchanged(mlir::Operation *product);

/// A product equal to `product`'s result with its last two dimensions
/// exchanged, bit for bit. `product` may be exchanged, and stays.
mlir::Value exchanged(mlir::OpBuilder &builder, mlir::Operation *product);

/// Whether operand `operand` of a product is a factor, which it can read
/// transposed.
bool isFactor(mlir::OpOperand &operand);

/// Makes a product read `transposed`, its factor with the last two dimensions
/// exchanged, instead.
void readTransposed(mlir::OpOperand &factor, mlir::Value transposed);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_LAYOUT_PRODUCT_H
