include "tally/ops/OpBase.td"

def Nn_ExpOp : Nn_FloatUnaryOp<"exp"> {
  let summary = "e to the power of x";
  let description = [{
    The pinned function (quant/PinnedMath.h): -inf gives +0. Quantized: the
    exact real, one rounding; it saturates.
  }];
}
