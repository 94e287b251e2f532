include "tally/ops/OpBase.td"

def Nn_CosOp : Nn_FloatUnaryOp<"cos"> {
  let summary = "the cosine of x in radians";
  let description = [{
    The pinned function (quant/PinnedMath.h): infinities give NaN.
    Quantized: the exact real, one rounding.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"inf", "nan">,
                  Nn_At<"-inf", "nan">, Nn_At<"-0", "1">];
  let courses = [Nn_Course<["none"], [], "-1", "1">];
  let gridNote = "all results lie in [-1, 1]";
}
