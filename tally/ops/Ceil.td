include "tally/ops/OpBase.td"

def Nn_CeilOp : Nn_RealUnaryOp<"ceil"> {
  let summary = "the least integer not below x";
  let description = [{
    Infinities, NaN and -0 stay; -0.5 gives -0. Quantized: the exact real, which the
    result's grid need not hold, then one rounding.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"inf", "inf">,
                  Nn_At<"-inf", "-inf">, Nn_At<"-0", "-0">,
                  Nn_At<"-0.5", "-0", "float">, Nn_At<"0.5", "1">];
  let courses = [Nn_Up<"-inf", "inf">];
  let gridNote =
      "exact only where the result's grid holds the integers (1 / s2 is one)";
}
