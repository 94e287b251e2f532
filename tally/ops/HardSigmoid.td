include "tally/ops/OpBase.td"

def Nn_HardSigmoidOp : Nn_RealUnaryOp<"hard_sigmoid", [Nn_FiniteParameters]> {
  let summary = "alpha x + beta, between 0 and 1";
  let description = [{
    Float order: y = alpha * x, y = y + beta, each rounded; then 0 where y < 0
    and 1 where y > 1. NaN stays NaN. Quantized: the exact real, one rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha, F32Attr:$beta);
}
