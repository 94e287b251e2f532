//===- Interfaces.td - what every nn operator can be asked --*- tablegen -*-===//

#ifndef TALLY_GRAPH_INTERFACES_TD
#define TALLY_GRAPH_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Nn_Operator : OpInterface<"Operator"> {
  let cppNamespace = "::tally::nn";
  let description = [{
    The executable meaning of an operator. There is no central dispatcher: the
    evaluator walks the graph and asks each operation.
  }];
  let methods = [
    InterfaceMethod<
      [{Computes all results of the request from its inputs. Inputs and results
        describe themselves (shape, element, quantization), which may differ
        from the operation's own types when the evaluator runs a
        dequantize-operate-quantize group. Fails with a Diagnostic when the
        combination has no defined meaning.}],
      "::tally::Status", "evaluate", (ins "::tally::eval::Request &":$request)>,
    InterfaceMethod<
      [{The operands by position, null where an optional one is absent: the
        order of `Request::inputs`.}],
      "::llvm::SmallVector<::mlir::Value>", "positionalOperands", (ins),
      [{}], [{ return ::llvm::to_vector($_op->getOperands()); }]>
  ];
}

def Nn_TableOperator : OpInterface<"TableOperator"> {
  let cppNamespace = "::tally::nn";
  let description = [{
    A unary operator that acts on each code alone: on quantized tensors it is a
    table from input code to output code.
  }];
  let methods = [
    InterfaceMethod<
      "The function and its attributes, as the table builder knows them.",
      "::tally::quant::UnaryFunction", "unaryFunction">
  ];
}

/// The result has the same elements in the same order, or a strided selection
/// of them: no arithmetic happens, storage may be shared.
def Nn_View : NativeOpTrait<"View"> {
  let cppNamespace = "::tally::nn";
}

/// Works on lines along the dimension that its attribute `axis` (an I64Attr)
/// names, on each alone: under another order of dimensions only `axis` changes.
def Nn_AlongAxis : NativeOpTrait<"AlongAxis"> {
  let cppNamespace = "::tally::nn";
}

/// May begin an nn.fused: makes each element of its result once, at a place
/// where further elementwise work can follow before it is stored.
def Nn_FusionAnchor : NativeOpTrait<"FusionAnchor"> {
  let cppNamespace = "::tally::nn";
}

/// One result; of an operand that has the result's shape, each element of the
/// result depends only on the element at the same place. May be a stage of an
/// nn.fused.
def Nn_ElementwiseStage : NativeOpTrait<"ElementwiseStage"> {
  let cppNamespace = "::tally::nn";
}

def Nn_Quantizable : OpInterface<"Quantizable"> {
  let cppNamespace = "::tally::nn";
  let description = [{
    An operator whose meaning on quantized tensors is the exact real result,
    rounded once. Only such operators are the core of a
    dequantize-operate-quantize group (see ops/QuantizedGroup.h).
  }];
  let methods = [
    InterfaceMethod<
      [{Whether these operand types (null where an optional operand is absent,
        f32 where a constant stays real) and this result type have a quantized
        meaning. By default: every operand quantized per tensor with at most
        16 bits, and so the result.}],
      "bool", "hasQuantizedMeaning",
      (ins "::llvm::ArrayRef<::mlir::RankedTensorType>":$operands,
           "::mlir::RankedTensorType":$result),
      [{}], [{ return ::tally::nn::allPerTensor(operands, result); }]>
  ];
}

def Nn_Movement : OpInterface<"Movement"> {
  let cppNamespace = "::tally::nn";
  let description = [{
    Moves, repeats or drops the elements of operand 0 without changing their
    values: commutes with a per-tensor Quantize.
  }];
  let methods = [
    InterfaceMethod<
      [{The axis of the result that dimension `axis` of the input becomes, when
        it keeps its indices; nothing when the dimension is split, merged,
        repeated or cut.}],
      "std::optional<int64_t>", "movedAxis", (ins "int64_t":$axis),
      [{}], [{ return std::nullopt; }]>
  ];
}

/// Result types equal what inferReturnTypeComponents says: shape always, the
/// element type where it is not quantized.
def Nn_VerifyInferred : NativeOpTrait<"VerifyInferred"> {
  let cppNamespace = "::tally::nn";
}

#endif // TALLY_GRAPH_INTERFACES_TD
