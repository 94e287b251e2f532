//===- Interfaces.h - what every nn operator can be asked -------*- C++ -*-===//

#ifndef TALLY_GRAPH_INTERFACES_H
#define TALLY_GRAPH_INTERFACES_H

#include "tally/eval/Request.h"
#include "tally/quant/UnaryTable.h"
#include "tally/support/Result.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace tally::nn {

template <typename ConcreteOp>
class View : public mlir::OpTrait::TraitBase<ConcreteOp, View> {};

template <typename ConcreteOp>
class FusionAnchor : public mlir::OpTrait::TraitBase<ConcreteOp, FusionAnchor> {
};

template <typename ConcreteOp>
class AlongAxis : public mlir::OpTrait::TraitBase<ConcreteOp, AlongAxis> {};

template <typename ConcreteOp>
class ElementwiseStage
    : public mlir::OpTrait::TraitBase<ConcreteOp, ElementwiseStage> {};

/// Whether all tensors are quantized per tensor with at most 16 bits.
bool allPerTensor(llvm::ArrayRef<mlir::RankedTensorType> operands,
                  mlir::RankedTensorType result);

/// Checks `op`'s result types against inferred components (NN-1: shape, NN-2:
/// element type unless quantized) and every operand and result type (quantized
/// ones: QT-1 to QT-4; NN-3: some executor handles the element type).
llvm::LogicalResult
verifyInferred(mlir::Operation *op,
               llvm::ArrayRef<mlir::ShapedTypeComponents> inferred);

template <typename ConcreteOp>
class VerifyInferred
    : public mlir::OpTrait::TraitBase<ConcreteOp, VerifyInferred> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    llvm::SmallVector<mlir::ShapedTypeComponents, 2> inferred;
    if (failed(ConcreteOp::inferReturnTypeComponents(
            op->getContext(), op->getLoc(),
            mlir::ValueShapeRange(op->getOperands()),
            op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
            op->getRegions(), inferred)))
      return llvm::failure();
    return verifyInferred(op, inferred);
  }
};

} // namespace tally::nn

#include "tally/graph/Interfaces.h.inc"

#endif // TALLY_GRAPH_INTERFACES_H
