include "tally/ops/OpBase.td"

def Nn_ReluOp : Nn_UnaryOp<"relu"> {
  let summary = "max(x, 0)";
  let description = [{
    NaN stays NaN, -0 gives +0. On a quantized tensor: exact real, one rounding
    onto the result's grid; with equal grids that is max(code, zeroPoint).
  }];
}
