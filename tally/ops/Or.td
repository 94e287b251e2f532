include "tally/ops/OpBase.td"

def Nn_OrOp : Nn_BinaryOp<"or", [], "kBool"> {
  let summary = "whether either holds, broadcast";
  let description = [{
    Booleans.
  }];
  let specials = [Nn_Special<["true", "false"], "true">,
                  Nn_Special<["false", "false"], "false">,
                  Nn_Special<["true", "true"], "true">];
  let monotone = "up in either operand";
  let range = "false and true";
  let resultGrid = "none";
}
