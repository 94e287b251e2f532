include "tally/ops/OpBase.td"

def Nn_SinOp : Nn_FloatUnaryOp<"sin"> {
  let summary = "the sine of x in radians";
  let description = [{
    The pinned function (quant/PinnedMath.h): infinities give NaN.
    Quantized: the exact real, one rounding.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"inf", "nan">,
                  Nn_At<"-inf", "nan">, Nn_At<"-0", "-0">];
  let courses = [Nn_Course<["none"], [], "-1", "1">];
  let gridNote = "all results lie in [-1, 1]";
}
