//===- OpBase.td - the shape of an operator contract --------*- tablegen -*-===//

#ifndef TALLY_OPS_OPBASE_TD
#define TALLY_OPS_OPBASE_TD

include "tally/graph/Dialect.td"
include "tally/graph/Interfaces.td"
include "tally/ops/ContractBase.td"
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
/// (adaptor form) and evaluate. The fields of its contract are those of
/// ContractBase.td.
class Nn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic,
         [Pure, InferShapedTypeOpAdaptor, Nn_VerifyInferred,
          DeclareOpInterfaceMethods<Nn_Operator>] # traits>,
      Nn_ContractFields {
  let hasVerifier = 0;
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

// The rules of the elementwise families (Elementwise.h).
def Nn_ELEM_1 : Nn_Rule<"ELEM-1", "the operands' shapes broadcast against each "
                                  "other, as numpy does">;
def Nn_ELEM_2 : Nn_Rule<"ELEM-2", "the operands' element types are equal; "
                                  "codes may have any grids">;
def Nn_ELEM_3 : Nn_Rule<"ELEM-3", "the element type is one the operator has a "
                                  "meaning for; codes have one grid per "
                                  "tensor and at most 16 bits">;
def Nn_ELEM_4 : Nn_Rule<"ELEM-4", "float parameters are finite numbers">;

/// Elementwise operators: a shape rule of ops/Elementwise.h and the set of
/// element types the operator takes (rules ELEM-1 to ELEM-3).
class Nn_ElementwiseOp<string mnemonic, string rule, string accepts,
                       list<Trait> traits>
    : Nn_Op<mnemonic, [Nn_ElementwiseStage] # traits> {
  let results = (outs Nn_Tensor:$output);
  let elementKinds = accepts;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypeComponents(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::ShapedTypeComponents> &inferred) {
      return }] # rule # [{(location, getOperationName(),
          adaptor.getOperands(), }] # accepts # [{, inferred);
    }
  }];
}

/// Attributes that are floats are finite (rule ELEM-4).
def Nn_FiniteParameters : NativeOpTrait<"FiniteParameters"> {
  let cppNamespace = "::tally::nn";
}

/// One tensor in, one of the same shape and element type out; on codes, a
/// table.
class Nn_UnaryOp<string mnemonic, list<Trait> traits = [],
                 string accepts = "kNumber | kCodes">
    : Nn_ElementwiseOp<mnemonic, "inferUnary", accepts,
                       [DeclareOpInterfaceMethods<Nn_Quantizable>,
                        DeclareOpInterfaceMethods<Nn_TableOperator>] # traits> {
  let arguments = (ins Nn_Tensor:$input);
  let sharedRules = [Nn_ELEM_3];
  let resultGrid = "free";
  let blocks = Nn_Tables;
}

/// A unary operator on f16, bf16, f32 and codes only.
class Nn_FloatUnaryOp<string mnemonic, list<Trait> traits = []>
    : Nn_UnaryOp<mnemonic, traits, "kFloat | kCodes">;

/// A unary operator on all floats and codes.
class Nn_RealUnaryOp<string mnemonic, list<Trait> traits = []>
    : Nn_UnaryOp<mnemonic, traits, "kReal | kCodes">;

/// One tensor in, as many booleans out.
class Nn_ClassifyOp<string mnemonic, list<Trait> traits = []>
    : Nn_ElementwiseOp<mnemonic, "inferClassification", "kReal", traits> {
  let arguments = (ins Nn_Tensor:$input);
  let sharedRules = [Nn_ELEM_3];
  let monotone = "none";
  let range = "false and true";
  let resultGrid = "none";
}

/// Two tensors in, broadcast against each other as numpy does, one out.
class Nn_BinaryOp<string mnemonic, list<Trait> traits = [],
                  string accepts = "kNumber | kCodes">
    : Nn_ElementwiseOp<mnemonic, "inferBinary", accepts, traits> {
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let sharedRules = [Nn_ELEM_1, Nn_ELEM_2, Nn_ELEM_3];
  let resultGrid = "free";
}

/// As Nn_BinaryOp with a boolean result.
class Nn_CompareOp<string mnemonic, list<Trait> traits = [],
                   string accepts = "kNumber">
    : Nn_ElementwiseOp<mnemonic, "inferCompare", accepts, traits> {
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let sharedRules = [Nn_ELEM_1, Nn_ELEM_2, Nn_ELEM_3];
  let range = "false and true";
  let resultGrid = "none";
}

#endif // TALLY_OPS_OPBASE_TD
