include "tally/ops/OpBase.td"

def Nn_LeakyReluOp : Nn_RealUnaryOp<"leaky_relu", [Nn_FiniteParameters]> {
  let summary = "x below zero times alpha";
  let description = [{
    `x < 0 ? alpha * x : x`. NaN and -0 stay. Quantized: the exact real, one
    rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha);
  let sharedRules = [Nn_ELEM_3, Nn_ELEM_4];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"-0", "-0">, Nn_At<"inf", "inf">];
  let courses = [Nn_Up<"-inf", "inf", "alpha > 0">, Nn_Valley<"0", "0", "inf">];
  let blocks = [Nn_TwoSlope<"alpha * s1 / s2", "s1 / s2">] # Nn_Tables;
}
