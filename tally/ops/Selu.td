include "tally/ops/OpBase.td"

def Nn_SeluOp : Nn_FloatUnaryOp<"selu", [Nn_FiniteParameters]> {
  let summary = "gamma times Elu";
  let description = [{
    `gamma * (x > 0 ? x : alpha * expm1(x))` with the pinned expm1
    (quant/PinnedMath.h), products rounded from the inside out; NaN stays NaN.
    Quantized: the exact real, one rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha, F32Attr:$gamma);
}
