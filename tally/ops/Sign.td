include "tally/ops/OpBase.td"

def Nn_SignOp : Nn_UnaryOp<"sign"> {
  let summary = "-1, 0 or 1, as x is negative, zero or positive";
  let description = [{
    NaN stays NaN, both zeros give +0. Quantized: one of the three codes of -1,
    0 and 1 on the result's grid; the input's scale does not matter.
  }];
}
