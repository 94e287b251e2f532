include "tally/ops/OpBase.td"

def Nn_DivOp : Nn_BinaryOp<"div", [], "kNumber"> {
  let summary = "a / b, broadcast";
  let description = [{
    Floats: one rounded division. Integers truncate toward zero; a zero divisor
    gives 0, and INT_MIN / -1 wraps to INT_MIN. Codes have no quotient of their
    own: between Quantize nodes the float meaning holds.
  }];
}
