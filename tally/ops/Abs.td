include "tally/ops/OpBase.td"

def Nn_AbsOp : Nn_UnaryOp<"abs"> {
  let summary = "|x|";
  let description = [{
    Floats: the sign bit is cleared, so NaN stays NaN and -0 gives +0.
    Integers wrap: the absolute value of INT_MIN is INT_MIN. Quantized: the
    exact real, one rounding onto the result's grid; nothing wraps there.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"-inf", "inf">, Nn_At<"-0", "0">,
                  Nn_At<"int_min", "int_min">];
  let courses = [Nn_Valley<"0", "0", "inf">];
  let gridNote =
      "on the input's own scale nothing but saturation is lost when z2 is the "
      "smallest code";
  let blocks = [Nn_TwoSlope<"-s1 / s2", "s1 / s2">] # Nn_Tables;
}
