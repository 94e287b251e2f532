include "tally/ops/OpBase.td"

def Nn_SqrtOp : Nn_RealUnaryOp<"sqrt"> {
  let summary = "the square root";
  let description = [{
    Correctly rounded. NaN below zero, -0 stays -0. Quantized: the exact real,
    one rounding; below zero there is none, which gives the code of 0.
  }];
}
