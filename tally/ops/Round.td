include "tally/ops/OpBase.td"

def Nn_RoundOp : Nn_RealUnaryOp<"round"> {
  let summary = "the nearest integer, ties to even";
  let description = [{
    Infinities, NaN and -0 stay; -0.5 gives -0. Quantized: the exact integer,
    which the result's grid need not hold, then the one rounding onto it.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"inf", "inf">,
                  Nn_At<"-inf", "-inf">, Nn_At<"-0", "-0">,
                  Nn_At<"-0.5", "-0", "float">, Nn_At<"0.5", "0">,
                  Nn_At<"1.5", "2">, Nn_At<"2.5", "2">];
  let courses = [Nn_Up<"-inf", "inf">];
  let gridNote =
      "exact only where the result's grid holds the integers (1 / s2 is one)";
}
