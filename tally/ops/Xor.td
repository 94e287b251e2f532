include "tally/ops/OpBase.td"

def Nn_XorOp : Nn_BinaryOp<"xor", [], "kBool"> {
  let summary = "whether one of both holds, broadcast";
  let description = [{
    Booleans.
  }];
  let specials = [Nn_Special<["true", "false"], "true">,
                  Nn_Special<["false", "false"], "false">,
                  Nn_Special<["true", "true"], "false">];
  let monotone = "none";
  let range = "false and true";
  let resultGrid = "none";
}
