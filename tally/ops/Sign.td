include "tally/ops/OpBase.td"

def Nn_SignOp : Nn_UnaryOp<"sign"> {
  let summary = "-1, 0 or 1, as x is negative, zero or positive";
  let description = [{
    NaN stays NaN, both zeros give +0. Quantized: one of the three codes of -1,
    0 and 1 on the result's grid; the input's scale does not matter.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"-0", "0">, Nn_At<"-inf", "-1">,
                  Nn_At<"inf", "1">, Nn_At<"int_min", "-1">, Nn_At<"7", "1">];
  let courses = [Nn_Up<"-1", "1">];
  let gridNote =
      "three codes: those of -1, 0 and 1, all equal to z2 when s2 is 2 or "
      "more (half to even)";
  let blocks = [Nn_ThreeStep<"Q(-1)", "z2", "Q(1)">];
}
