include "tally/ops/OpBase.td"

def Nn_FloorOp : Nn_RealUnaryOp<"floor"> {
  let summary = "the greatest integer not above x";
  let description = [{
    Infinities, NaN and -0 stay. Quantized: the exact real, which the
    result's grid need not hold, then one rounding.
  }];
}
