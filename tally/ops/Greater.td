include "tally/ops/OpBase.td"

def Nn_GreaterOp : Nn_CompareOp<"greater"> {
  let summary = "a > b, broadcast";
  let description = [{
    False when either is NaN; zeros of either sign are equal.
  }];
}
