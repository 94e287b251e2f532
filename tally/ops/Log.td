include "tally/ops/OpBase.td"

def Nn_LogOp : Nn_FloatUnaryOp<"log"> {
  let summary = "the natural logarithm";
  let description = [{
    The pinned function (quant/PinnedMath.h): zeros give -inf, below zero NaN.
    Quantized: the exact real, one rounding; at and below zero the lowest code.
  }];
  let specials = [Nn_At<"nan", "nan">, Nn_At<"0", "-inf">, Nn_At<"-0", "-inf">,
                  Nn_At<"-1", "nan">, Nn_At<"inf", "inf">, Nn_At<"1", "0">];
  let courses = [Nn_Up<"-inf", "inf">];
  let gridNote = "codes at and below real 0 give the smallest code";
}
