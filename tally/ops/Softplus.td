include "tally/ops/OpBase.td"

def Nn_SoftplusOp : Nn_FloatUnaryOp<"softplus"> {
  let summary = "log(1 + e^x)";
  let description = [{
    The pinned function (quant/PinnedMath.h): -inf gives +0, +inf stays.
    Quantized: the exact real, one rounding.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"inf", "inf">, Nn_At<"-inf", "0">];
  let courses = [Nn_Up<"0", "inf">];
}
