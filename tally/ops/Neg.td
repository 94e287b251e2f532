include "tally/ops/OpBase.td"

def Nn_NegOp : Nn_UnaryOp<"neg"> {
  let summary = "-x";
  let description = [{
    Floats: the sign bit is flipped, of zeros and NaN too. Integers wrap: the
    negative of INT_MIN is INT_MIN. Quantized: the exact real, one rounding;
    it saturates and does not wrap.
  }];
}
