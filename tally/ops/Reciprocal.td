include "tally/ops/OpBase.td"

def Nn_ReciprocalOp : Nn_RealUnaryOp<"reciprocal"> {
  let summary = "1 / x";
  let description = [{
    Correctly rounded: zeros give infinities of their sign and infinities give
    zeros. Quantized: the exact real, one rounding; a code's zero has no sign
    and gives the highest code.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"0", "inf">, Nn_At<"-0", "-inf">,
                  Nn_At<"inf", "0">, Nn_At<"-inf", "-0">];
  let courses = [Nn_Course<["down", "down"], ["0"], "-inf", "inf">];
  let gridNote = "the code of real 0 gives the largest code";
}
