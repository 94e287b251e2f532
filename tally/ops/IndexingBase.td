//===- IndexingBase.td - operators with run-time indices ----*- tablegen -*-===//
//
// Shared rules of the family. Indices are values of an operand: a negative one
// counts from the end, and what then lies outside the dimension is clamped
// into it. (A constant index outside is a fault of the model; import refuses
// it.)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_INDEXINGBASE_TD
#define TALLY_OPS_INDEXINGBASE_TD

include "tally/ops/OpBase.td"

def Nn_INDEX_1 : Nn_Rule<"INDEX-1", "indices are i32 or i64">;
def Nn_INDEX_2 : Nn_Rule<"INDEX-2", "an indexed dimension is not empty">;
def Nn_INDEX_3 : Nn_Rule<"INDEX-3", "quantized data is quantized per tensor">;

/// Elements of `data` picked by `indices`.
class Nn_GatherLikeOp<string mnemonic>
    : Nn_Op<mnemonic, [DeclareOpInterfaceMethods<Nn_Movement>,
                       DeclareOpInterfaceMethods<Nn_Quantizable,
                                                 ["hasQuantizedMeaning"]>]> {
  let results = (outs Nn_Tensor:$output);
  let sharedRules = [Nn_INDEX_1, Nn_INDEX_2, Nn_INDEX_3];
  let extraClassDefinition = [{
    bool $cppClass::hasQuantizedMeaning(
        ::llvm::ArrayRef<::mlir::RankedTensorType> operands,
        ::mlir::RankedTensorType result) {
      return ::tally::nn::allPerTensor(operands.take_front(1), result) &&
             operands[1].getElementType().isSignlessInteger();
    }
  }];
}

def Nn_UpdateKind : StringBasedAttr<
    CPred<"::tally::nn::isUpdateKind(::llvm::cast<::mlir::StringAttr>($_self).getValue())">,
    "one of none, add, mul, min, max"> {
  let storageType = "::mlir::StringAttr";
  let returnType = "::llvm::StringRef";
  let convertFromStorage = "$_self.getValue()";
}

/// A copy of `data` in which `updates` are written where `indices` say.
class Nn_ScatterLikeOp<string mnemonic> : Nn_Op<mnemonic> {
  let results = (outs Nn_Tensor:$output);
  let sharedRules = [Nn_INDEX_1, Nn_INDEX_2, Nn_INDEX_3];
}

#endif // TALLY_OPS_INDEXINGBASE_TD
