include "tally/ops/OpBase.td"

def Nn_ThresholdedReluOp
    : Nn_RealUnaryOp<"thresholded_relu", [Nn_FiniteParameters]> {
  let summary = "x above alpha, else 0";
  let description = [{
    `x > alpha ? x : 0`; NaN gives +0. Quantized: the exact real, one rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha);
}
