include "tally/ops/OpBase.td"

def Nn_SoftsignOp : Nn_RealUnaryOp<"softsign"> {
  let summary = "x / (1 + |x|)";
  let description = [{
    Float order: the sum, then the quotient. NaN stays NaN, infinities give
    NaN (inf / inf), -0 stays. Quantized: the exact real, one rounding.
  }];
}
