//===- OpBase.td - the shape of an operator contract --------*- tablegen -*-===//

#ifndef TALLY_OPS_OPBASE_TD
#define TALLY_OPS_OPBASE_TD

include "tally/graph/Dialect.td"
include "tally/graph/Interfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A ranked tensor of static shape; element types are checked by the
/// operator's own rules.
def Nn_Tensor : Type<
    And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
         CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">]>,
    "static ranked tensor", "::mlir::RankedTensorType">;

def Nn_OptionalTensor : Optional<Nn_Tensor>;

/// Every operator: pure, with an inference rule that is also its verifier and
/// an exact meaning. The operator's .cpp defines inferReturnTypeComponents
/// (adaptor form) and evaluate.
class Nn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic,
         [Pure, InferShapedTypeOpAdaptor, Nn_VerifyInferred,
          DeclareOpInterfaceMethods<Nn_Operator>] # traits> {
  let hasVerifier = 0;
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

/// One tensor in, one of the same shape and element type out.
class Nn_UnaryOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, [DeclareOpInterfaceMethods<Nn_Quantizable>,
                       DeclareOpInterfaceMethods<Nn_TableOperator>] # traits> {
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$output);
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypeComponents(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::ShapedTypeComponents> &inferred) {
      return ::tally::nn::inferUnary(location, getOperationName(),
                                     adaptor.getOperands(), inferred);
    }
  }];
}

/// Two tensors in, broadcast against each other as numpy does, one out.
class Nn_BinaryOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, traits> {
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let results = (outs Nn_Tensor:$output);
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypeComponents(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::ShapedTypeComponents> &inferred) {
      return ::tally::nn::inferBinary(location, getOperationName(),
                                      adaptor.getOperands(), inferred);
    }
  }];
}

/// As Nn_BinaryOp with a boolean result.
class Nn_CompareOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, traits> {
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let results = (outs Nn_Tensor:$output);
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypeComponents(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::ShapedTypeComponents> &inferred) {
      return ::tally::nn::inferCompare(location, getOperationName(),
                                       adaptor.getOperands(), inferred);
    }
  }];
}

#endif // TALLY_OPS_OPBASE_TD
