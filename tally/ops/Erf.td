include "tally/ops/OpBase.td"

def Nn_ErfOp : Nn_FloatUnaryOp<"erf"> {
  let summary = "the error function";
  let description = [{
    The pinned function (quant/PinnedMath.h): infinities give -1 and 1.
    Quantized: the exact real, one rounding.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"inf", "1">, Nn_At<"-inf", "-1">];
  let courses = [Nn_Up<"-1", "1">];
  let gridNote = "all results lie in [-1, 1]";
}
