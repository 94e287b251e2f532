include "tally/ops/OpBase.td"

def Nn_SinOp : Nn_FloatUnaryOp<"sin"> {
  let summary = "the sine of x in radians";
  let description = [{
    The pinned function (quant/PinnedMath.h): infinities give NaN.
    Quantized: the exact real, one rounding.
  }];
}
