include "tally/ops/OpBase.td"

def Nn_EqualOp : Nn_CompareOp<"equal", [], "kNumber | kBool"> {
  let summary = "a == b, broadcast";
  let description = [{
    False when either is NaN; zeros of either sign are equal.
  }];
}
