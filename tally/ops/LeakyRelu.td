include "tally/ops/OpBase.td"

def Nn_LeakyReluOp : Nn_RealUnaryOp<"leaky_relu", [Nn_FiniteParameters]> {
  let summary = "x below zero times alpha";
  let description = [{
    `x < 0 ? alpha * x : x`. NaN and -0 stay. Quantized: the exact real, one
    rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha);
}
