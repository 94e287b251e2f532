include "tally/ops/OpBase.td"

def Nn_GreaterOrEqualOp : Nn_CompareOp<"greater_or_equal"> {
  let summary = "a >= b, broadcast";
  let description = [{
    False when either is NaN; zeros of either sign are equal.
  }];
  let specials = [Nn_Special<["nan", "1"], "false">,
                  Nn_Special<["0", "-0"], "true">,
                  Nn_Special<["-0", "0"], "true">,
                  Nn_Special<["int_max", "int_min"], "true">];
  let monotone = "up in a, down in b";
}
