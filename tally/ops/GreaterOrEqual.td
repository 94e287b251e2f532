include "tally/ops/OpBase.td"

def Nn_GreaterOrEqualOp : Nn_CompareOp<"greater_or_equal"> {
  let summary = "a >= b, broadcast";
  let description = [{
    False when either is NaN; zeros of either sign are equal.
  }];
}
