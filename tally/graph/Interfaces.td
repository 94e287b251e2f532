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
      "::tally::Status", "evaluate", (ins "::tally::eval::Request &":$request)>
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

/// Quantized operands and results have a meaning (see the dialect page). Only
/// such operators join a dequantize-operate-quantize group.
def Nn_Quantizable : NativeOpTrait<"Quantizable"> {
  let cppNamespace = "::tally::nn";
}

/// Moves, repeats or drops elements without changing their values: commutes
/// with a per-tensor Quantize.
def Nn_Movement : NativeOpTrait<"Movement"> {
  let cppNamespace = "::tally::nn";
}

/// Result types equal what inferReturnTypeComponents says: shape always, the
/// element type where it is not quantized.
def Nn_VerifyInferred : NativeOpTrait<"VerifyInferred"> {
  let cppNamespace = "::tally::nn";
}

#endif // TALLY_GRAPH_INTERFACES_TD
