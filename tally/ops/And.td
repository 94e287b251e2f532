include "tally/ops/OpBase.td"

def Nn_AndOp : Nn_BinaryOp<"and", [], "kBool"> {
  let summary = "whether both hold, broadcast";
  let description = [{
    Booleans.
  }];
  let specials = [Nn_Special<["true", "false"], "false">,
                  Nn_Special<["false", "false"], "false">,
                  Nn_Special<["true", "true"], "true">];
  let monotone = "up in either operand";
  let range = "false and true";
  let resultGrid = "none";
}
