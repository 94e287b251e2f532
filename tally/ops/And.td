include "tally/ops/OpBase.td"

def Nn_AndOp : Nn_BinaryOp<"and", [], "kBool"> {
  let summary = "whether both hold, broadcast";
  let description = [{
    Booleans.
  }];
}
