include "tally/ops/OpBase.td"

def Nn_RoundOp : Nn_RealUnaryOp<"round"> {
  let summary = "the nearest integer, ties to even";
  let description = [{
    Infinities, NaN and -0 stay; -0.5 gives -0. Quantized: the exact integer,
    which the result's grid need not hold, then the one rounding onto it.
  }];
}
