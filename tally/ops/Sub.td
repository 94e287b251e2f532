include "tally/ops/OpBase.td"

def Nn_SubOp
    : Nn_BinaryOp<"sub", [Nn_FusionAnchor,
                          DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "a - b, broadcast";
  let description = [{
    Integers wrap. On quantized tensors: the exact difference of both reals, one
    rounding onto the result's grid.
  }];
}
