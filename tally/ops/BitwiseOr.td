include "tally/ops/OpBase.td"

def Nn_BitwiseOrOp : Nn_BinaryOp<"bitwise_or", [], "kInteger"> {
  let summary = "the bits that either has, broadcast";
  let description = [{
    Plain integers.
  }];
}
