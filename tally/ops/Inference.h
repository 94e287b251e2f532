//===- Inference.h - shape and type rules shared by operators ---*- C++ -*-===//
//
// Building blocks of inferReturnTypeComponents. A rule that fails reports
// through `reject`, which puts the rule's label at the end of the message.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_INFERENCE_H
#define TALLY_OPS_INFERENCE_H

#include "tally/ops/Ops.h"

#include "llvm/Support/FormatVariadic.h"

namespace tally::nn {

using MaybeLocation = std::optional<mlir::Location>;
using Inferred = llvm::SmallVectorImpl<mlir::ShapedTypeComponents>;

/// Reports "MESSAGE [RULE]" at `location` and fails.
llvm::LogicalResult reject(MaybeLocation location, llvm::StringRef rule,
                           const llvm::Twine &message);

/// "1x3x224x224", for messages.
std::string shapeText(llvm::ArrayRef<int64_t> shape);
/// A type in a user's words: "float32[2x3]", "int8 codes of scale 0.5, ..".
std::string typeText(mlir::Type type);

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return tensorType(value).getShape();
}
inline mlir::Type elementType(mlir::Value value) {
  return tensorType(value).getElementType();
}

/// Appends one result.
void infer(Inferred &inferred, llvm::ArrayRef<int64_t> shape,
           mlir::Type element);

/// numpy broadcasting of two shapes; nothing when they do not match.
std::optional<llvm::SmallVector<int64_t>> broadcast(llvm::ArrayRef<int64_t> a,
                                                    llvm::ArrayRef<int64_t> b);

/// A normalised axis in [0, rank), or nothing.
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);

/// Whether element types agree, counting quantized ones as equal (their grids
/// may differ).
bool sameKind(mlir::Type a, mlir::Type b);

/// Whether a type is i8 or ui8 (not quantized).
bool isPlainByte(mlir::Type element);

/// A factor of a matrix product: its last two dimensions are a matrix, to be
/// transposed when `isTransposed`.
struct Factor {
  mlir::Value value;
  bool isTransposed;
};

/// "2x3 (transposed)", for messages.
std::string factorText(Factor factor);

/// The dimension of a tensor of `rank` that holds a factor's rows or columns.
inline int64_t rowAxis(int64_t rank, bool isTransposed) {
  return rank - (isTransposed ? 1 : 2);
}
inline int64_t columnAxis(int64_t rank, bool isTransposed) {
  return rowAxis(rank, !isTransposed);
}

/// Shape [.., M, N] of a product of the last two dimensions; fails by
/// `innerRule` (ranks, inner dimensions) or `batchRule` (broadcast).
llvm::LogicalResult inferMatrixProduct(MaybeLocation location,
                                       llvm::StringRef innerRule,
                                       llvm::StringRef batchRule, Factor a,
                                       Factor b,
                                       llvm::SmallVectorImpl<int64_t> &shape);

/// Whether an element is of codes of one grid, per tensor or along `axis` (-1:
/// per tensor only).
bool hasGridAlong(mlir::Type element, int64_t axis);

/// Whether an operator multiplies elements `a` by `b`, and then adds elements
/// `addend` (null when absent): floats of one type, or codes with grids along
/// these axes and an addend of floats or codes.
bool areFactors(mlir::Type a, int64_t axisA, mlir::Type b, int64_t axisB,
                mlir::Type addend);
/// " and ADDEND", or nothing, for messages.
std::string addendText(mlir::Type addend);

/// Whether a tensor (null when absent) holds codes of at most 16 bits, per
/// tensor or per `axis`.
bool isQuantizedFactor(mlir::RankedTensorType type, int64_t axis);

/// Operands of a product with an optional addend (convolution, Gemm): an
/// input per tensor or per `inputAxis` (-1: per tensor only), a weight per
/// tensor or per `weightAxis`, both of at most 16 bits, an addend that is
/// absent, of i32 codes or a real f32, and a per-tensor result.
bool isQuantizedProduct(llvm::ArrayRef<mlir::RankedTensorType> operands,
                        mlir::RankedTensorType result, int64_t inputAxis,
                        int64_t weightAxis);

} // namespace tally::nn

#endif // TALLY_OPS_INFERENCE_H
