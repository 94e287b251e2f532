include "tally/ops/OpBase.td"

def Nn_LessOrEqualOp : Nn_CompareOp<"less_or_equal"> {
  let summary = "a <= b, broadcast";
  let description = [{
    False when either is NaN; zeros of either sign are equal.
  }];
  let specials = [Nn_Special<["nan", "1"], "false">,
                  Nn_Special<["0", "-0"], "true">,
                  Nn_Special<["-0", "0"], "true">,
                  Nn_Special<["int_min", "int_max"], "true">];
  let monotone = "down in a, up in b";
}
