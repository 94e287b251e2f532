include "tally/ops/OpBase.td"

def Nn_IsNanOp : Nn_ClassifyOp<"is_nan"> {
  let summary = "whether x is NaN";
  let description = [{
    Of every float element.
  }];
}
