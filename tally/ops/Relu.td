include "tally/ops/OpBase.td"

def Nn_ReluOp : Nn_UnaryOp<"relu"> {
  let summary = "max(x, 0)";
  let description = [{
    NaN stays NaN, -0 gives +0. On a quantized tensor: exact real, one rounding
    onto the result's grid; with equal grids that is max(code, zeroPoint).
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"-0", "0">, Nn_At<"-inf", "0">,
                  Nn_At<"inf", "inf">, Nn_At<"int_min", "0">];
  let courses = [Nn_Up<"0", "inf">];
  let gridNote = "on the input's own grid max(q1, z1)";
  let blocks = [Nn_Affine<"s1 / s2", "0", "z2">] # Nn_Tables;
}
