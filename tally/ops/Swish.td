include "tally/ops/OpBase.td"

def Nn_SwishOp : Nn_FloatUnaryOp<"swish", [Nn_FiniteParameters]> {
  let summary = "x / (1 + e^(-alpha x))";
  let description = [{
    `x * sigmoid(alpha * x)` with the pinned sigmoid (quant/PinnedMath.h); NaN
    stays NaN, -inf gives NaN (-inf * 0) when alpha is positive. Quantized: the
    exact real, one rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha);
  let sharedRules = [Nn_ELEM_3, Nn_ELEM_4];
  let specials = [Nn_At<"nan", "nan">];
  let courses = [Nn_Valley<"-1.27846454 / alpha", "-0.27846455 / alpha", "inf",
                           "alpha > 0">,
                 Nn_Hill<"-1.27846454 / alpha", "-inf", "-0.27846455 / alpha",
                         "alpha < 0">,
                 Nn_Up<"-inf", "inf">];
}
