include "tally/ops/OpBase.td"

def Nn_EluOp : Nn_FloatUnaryOp<"elu", [Nn_FiniteParameters]> {
  let summary = "x, below zero alpha (e^x - 1)";
  let description = [{
    `x >= 0 ? x : alpha * expm1(x)` with the pinned expm1
    (quant/PinnedMath.h); NaN and -0 stay. Quantized: the exact real, one rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha);
  let sharedRules = [Nn_ELEM_3, Nn_ELEM_4];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"-0", "-0">, Nn_At<"inf", "inf">];
  let courses = [Nn_Up<"-alpha", "inf", "alpha > 0">,
                 Nn_Valley<"0", "0", "inf">];
}
