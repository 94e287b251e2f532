include "tally/ops/OpBase.td"

def Nn_MinOp : Nn_BinaryOp<"min", [DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "the lesser of a and b, broadcast";
  let description = [{
    NaN when either is NaN, else `b < a ? b : a`, so that of two zeros of
    different sign the first is the result. Quantized: the exact real, one
    rounding.
  }];
}
