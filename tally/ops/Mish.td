include "tally/ops/OpBase.td"

def Nn_MishOp : Nn_FloatUnaryOp<"mish"> {
  let summary = "x tanh(log(1 + e^x))";
  let description = [{
    `x * tanh(softplus(x))` with the pinned functions (quant/PinnedMath.h);
    NaN stays NaN, -inf gives NaN (-inf * 0). Quantized: the exact real, one rounding.
  }];
}
