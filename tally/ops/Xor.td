include "tally/ops/OpBase.td"

def Nn_XorOp : Nn_BinaryOp<"xor", [], "kBool"> {
  let summary = "whether one of both holds, broadcast";
  let description = [{
    Booleans.
  }];
}
