include "tally/ops/OpBase.td"

def Nn_BitwiseAndOp : Nn_BinaryOp<"bitwise_and", [], "kInteger"> {
  let summary = "the bits that both have, broadcast";
  let description = [{
    Plain integers.
  }];
}
