//===- Reduce.td - what reductions share --------------------*- tablegen -*-===//
//
// `axes` are reduced, all others are kept; without axes every element is
// reduced by itself. Reduced dimensions stay with size 1 when keepdims is set,
// else they go. Terms are taken in row-major order over the reduced dimensions;
// "pinned sum" is that of quant/pinned/Sum.h. Half-precision floats are
// reduced in f32 and rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_REDUCE_TD
#define TALLY_OPS_REDUCE_TD

include "tally/ops/OpBase.td"

def Nn_REDUCE_1 : Nn_Rule<"REDUCE-1", "axes lie in [0, rank), ascending and "
                                      "distinct">;
def Nn_REDUCE_2 : Nn_Rule<"REDUCE-2", "elements: plain, or quantized per "
                                      "tensor">;

class Nn_ReduceOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, traits> {
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$axes,
                       DefaultValuedAttr<BoolAttr, "true">:$keepdims);
  let results = (outs Nn_Tensor:$output);
  let sharedRules = [Nn_REDUCE_1, Nn_REDUCE_2];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypeComponents(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::ShapedTypeComponents> &inferred) {
      return ::tally::nn::inferReduction(location, getOperationName(),
                                         adaptor.getOperands(),
                                         adaptor.getAxes(),
                                         adaptor.getKeepdims(), inferred);
    }
  }];
}

#endif // TALLY_OPS_REDUCE_TD
