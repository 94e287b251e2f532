include "tally/ops/OpBase.td"

def Nn_ThresholdedReluOp
    : Nn_RealUnaryOp<"thresholded_relu", [Nn_FiniteParameters]> {
  let summary = "x above alpha, else 0";
  let description = [{
    `x > alpha ? x : 0`; NaN gives +0. Quantized: the exact real, one rounding.
  }];
  let arguments = (ins Nn_Tensor:$input, F32Attr:$alpha);
  let sharedRules = [Nn_ELEM_3, Nn_ELEM_4];
  let specials = [Nn_At<"nan", "0">, Nn_At<"inf", "inf">, Nn_At<"-0", "0">];
  let courses = [Nn_Up<"0", "inf", "alpha >= 0">,
                 Nn_Course<["none"], [], "alpha", "inf">];
}
