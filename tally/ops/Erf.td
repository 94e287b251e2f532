include "tally/ops/OpBase.td"

def Nn_ErfOp : Nn_FloatUnaryOp<"erf"> {
  let summary = "the error function";
  let description = [{
    The pinned function (quant/PinnedMath.h): infinities give -1 and 1.
    Quantized: the exact real, one rounding.
  }];
}
