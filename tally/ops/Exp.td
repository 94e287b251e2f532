include "tally/ops/OpBase.td"

def Nn_ExpOp : Nn_FloatUnaryOp<"exp"> {
  let summary = "e to the power of x";
  let description = [{
    The pinned function (quant/PinnedMath.h): -inf gives +0. Quantized: the
    exact real, one rounding; it saturates.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"-inf", "0">, Nn_At<"inf", "inf">,
                  Nn_At<"-0", "1">];
  let courses = [Nn_Up<"0", "inf">];
  let gridNote = "the result saturates at the grid's end";
}
