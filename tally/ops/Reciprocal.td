include "tally/ops/OpBase.td"

def Nn_ReciprocalOp : Nn_RealUnaryOp<"reciprocal"> {
  let summary = "1 / x";
  let description = [{
    Correctly rounded: zeros give infinities of their sign and infinities give
    zeros. Quantized: the exact real, one rounding; a code's zero has no sign
    and gives the highest code.
  }];
}
