include "tally/ops/OpBase.td"

def Nn_AbsOp : Nn_UnaryOp<"abs"> {
  let summary = "|x|";
  let description = [{
    Floats: the sign bit is cleared, so NaN stays NaN and -0 gives +0.
    Integers wrap: the absolute value of INT_MIN is INT_MIN. Quantized: the
    exact real, one rounding onto the result's grid; nothing wraps there.
  }];
}
