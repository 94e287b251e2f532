include "tally/ops/OpBase.td"

def Nn_TanhOp : Nn_FloatUnaryOp<"tanh"> {
  let summary = "the hyperbolic tangent";
  let description = [{
    The pinned function (quant/PinnedMath.h): infinities give -1 and 1, -0
    stays. Quantized: the exact real, one rounding.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"inf", "1">, Nn_At<"-inf", "-1">,
                  Nn_At<"-0", "-0">];
  let courses = [Nn_Up<"-1", "1">];
  let gridNote =
      "all results lie in [-1, 1]; scale 1/128 around 0 holds all but 1";
}
