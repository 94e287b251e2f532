include "tally/ops/OpBase.td"

def Nn_NotOp : Nn_ElementwiseOp<"not", "inferUnary", "kBool", []> {
  let summary = "whether x is false";
  let description = [{
    Of booleans.
  }];
  let arguments = (ins Nn_Tensor:$input);
}
