include "tally/ops/OpBase.td"

def Nn_LogOp : Nn_FloatUnaryOp<"log"> {
  let summary = "the natural logarithm";
  let description = [{
    The pinned function (quant/PinnedMath.h): zeros give -inf, below zero NaN.
    Quantized: the exact real, one rounding; at and below zero the lowest code.
  }];
}
