include "tally/ops/OpBase.td"

def Nn_OrOp : Nn_BinaryOp<"or", [], "kBool"> {
  let summary = "whether either holds, broadcast";
  let description = [{
    Booleans.
  }];
}
