//===- Elementwise.h - rules of the elementwise families --------*- C++ -*-===//
//
// Rules:
//   ELEM-1  the operands' shapes broadcast against each other, as numpy does
//   ELEM-2  the operands' element types are equal; codes may have any grids
//   ELEM-3  the element type is one the operator has a meaning for; codes have
//           one grid per tensor and at most 16 bits
//   ELEM-4  float parameters are finite numbers
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_ELEMENTWISE_H
#define TALLY_OPS_ELEMENTWISE_H

#include "tally/graph/Types.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace tally::nn {

/// A set of element types.
enum ElementKinds : unsigned {
  kFloat = 1, ///< f32, and f16 and bf16, which are computed in f32
  kDouble = 2,
  kSigned = 4,
  kUnsigned = 8,
  kBool = 16,
  kCodes = 32, ///< quantized per tensor, at most 16 bits
  kReal = kFloat | kDouble,
  kInteger = kSigned | kUnsigned,
  kNumber = kReal | kInteger,
};

/// The kind of one element type, or nothing when no operator takes it.
std::optional<ElementKinds> kindOf(mlir::Type element);

/// Checks rule ELEM-3 for one operand of operator `name`.
llvm::LogicalResult checkKind(std::optional<mlir::Location> location,
                              llvm::StringRef name, mlir::Value operand,
                              unsigned accepts);

/// Result: operand 0's shape and element type.
llvm::LogicalResult
inferUnary(std::optional<mlir::Location> location, llvm::StringRef name,
           mlir::ValueRange operands, unsigned accepts,
           llvm::SmallVectorImpl<mlir::ShapedTypeComponents> &inferred);
/// Result: operand 0's shape, booleans.
llvm::LogicalResult inferClassification(
    std::optional<mlir::Location> location, llvm::StringRef name,
    mlir::ValueRange operands, unsigned accepts,
    llvm::SmallVectorImpl<mlir::ShapedTypeComponents> &inferred);
/// Result: the broadcast shape, the operands' element type.
llvm::LogicalResult
inferBinary(std::optional<mlir::Location> location, llvm::StringRef name,
            mlir::ValueRange operands, unsigned accepts,
            llvm::SmallVectorImpl<mlir::ShapedTypeComponents> &inferred);
/// Result: the broadcast shape, booleans.
llvm::LogicalResult
inferCompare(std::optional<mlir::Location> location, llvm::StringRef name,
             mlir::ValueRange operands, unsigned accepts,
             llvm::SmallVectorImpl<mlir::ShapedTypeComponents> &inferred);

/// Checks rule ELEM-4.
llvm::LogicalResult verifyFiniteParameters(mlir::Operation *op);

template <typename ConcreteOp>
class FiniteParameters
    : public mlir::OpTrait::TraitBase<ConcreteOp, FiniteParameters> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyFiniteParameters(op);
  }
};

} // namespace tally::nn

#endif // TALLY_OPS_ELEMENTWISE_H
