include "tally/ops/OpBase.td"

def Nn_CeluOp : Nn_FloatUnaryOp<"celu", [Nn_FiniteParameters]> {
  let summary = "x, below zero alpha (e^(x / alpha) - 1)";
  let description = [{
    `x >= 0 ? x : alpha * expm1(x / alpha)` with the pinned expm1
    (quant/PinnedMath.h); NaN and -0 stay. Quantized: the exact real, one rounding.

    Rules:
      * CELU-1  alpha is not 0
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha);
  let hasVerifier = 1;
  let sharedRules = [Nn_ELEM_3, Nn_ELEM_4];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"-0", "-0">, Nn_At<"inf", "inf">];
  let courses = [Nn_Up<"-alpha", "inf", "alpha > 0">, Nn_Up<"-inf", "inf">];
}
