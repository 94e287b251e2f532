include "tally/ops/OpBase.td"

def Nn_MaxOp : Nn_BinaryOp<"max", [DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "the greater of a and b, broadcast";
  let description = [{
    NaN when either is NaN, else `a < b ? b : a`, so that of two zeros of
    different sign the first is the result. Quantized: the exact real, one
    rounding.
  }];
}
