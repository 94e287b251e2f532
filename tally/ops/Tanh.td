include "tally/ops/OpBase.td"

def Nn_TanhOp : Nn_FloatUnaryOp<"tanh"> {
  let summary = "the hyperbolic tangent";
  let description = [{
    The pinned function (quant/PinnedMath.h): infinities give -1 and 1, -0
    stays. Quantized: the exact real, one rounding.
  }];
}
