include "tally/ops/OpBase.td"

def Nn_BitwiseXorOp : Nn_BinaryOp<"bitwise_xor", [], "kInteger"> {
  let summary = "the bits that one of both has, broadcast";
  let description = [{
    Plain integers.
  }];
}
