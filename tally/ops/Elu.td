include "tally/ops/OpBase.td"

def Nn_EluOp : Nn_FloatUnaryOp<"elu", [Nn_FiniteParameters]> {
  let summary = "x, below zero alpha (e^x - 1)";
  let description = [{
    `x >= 0 ? x : alpha * expm1(x)` with the pinned expm1
    (quant/PinnedMath.h); NaN and -0 stay. Quantized: the exact real, one rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha);
}
