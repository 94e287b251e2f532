include "tally/ops/OpBase.td"

def Nn_LessOp : Nn_CompareOp<"less"> {
  let summary = "a < b, broadcast";
  let description = [{
    False when either is NaN; zeros of either sign are equal.
  }];
}
