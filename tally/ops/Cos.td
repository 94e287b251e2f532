include "tally/ops/OpBase.td"

def Nn_CosOp : Nn_FloatUnaryOp<"cos"> {
  let summary = "the cosine of x in radians";
  let description = [{
    The pinned function (quant/PinnedMath.h): infinities give NaN.
    Quantized: the exact real, one rounding.
  }];
}
