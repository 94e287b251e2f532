include "tally/ops/OpBase.td"

def Nn_SwishOp : Nn_FloatUnaryOp<"swish", [Nn_FiniteParameters]> {
  let summary = "x / (1 + e^(-alpha x))";
  let description = [{
    `x * sigmoid(alpha * x)` with the pinned sigmoid (quant/PinnedMath.h); NaN
    stays NaN, -inf gives NaN (-inf * 0) when alpha is positive. Quantized: the
    exact real, one rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha);
}
