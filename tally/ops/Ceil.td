include "tally/ops/OpBase.td"

def Nn_CeilOp : Nn_RealUnaryOp<"ceil"> {
  let summary = "the least integer not below x";
  let description = [{
    Infinities, NaN and -0 stay; -0.5 gives -0. Quantized: the exact real, which the
    result's grid need not hold, then one rounding.
  }];
}
