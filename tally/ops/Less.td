include "tally/ops/OpBase.td"

def Nn_LessOp : Nn_CompareOp<"less"> {
  let summary = "a < b, broadcast";
  let description = [{
    False when either is NaN; zeros of either sign are equal.
  }];
  let specials = [Nn_Special<["nan", "1"], "false">,
                  Nn_Special<["-0", "0"], "false">,
                  Nn_Special<["int_min", "int_max"], "true">];
  let monotone = "down in a, up in b";
}
