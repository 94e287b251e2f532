include "tally/ops/OpBase.td"

def Nn_EqualOp : Nn_CompareOp<"equal", [], "kNumber | kBool"> {
  let summary = "a == b, broadcast";
  let description = [{
    False when either is NaN; zeros of either sign are equal.
  }];
  let specials = [Nn_Special<["nan", "nan"], "false">,
                  Nn_Special<["0", "-0"], "true">,
                  Nn_Special<["inf", "inf"], "true">];
  let monotone = "none";
}
