include "tally/ops/OpBase.td"

def Nn_BitShiftOp : Nn_BinaryOp<"bit_shift", [], "kUnsigned"> {
  let summary = "a shifted by b bits, broadcast";
  let description = [{
    Unsigned integers, to the `left` or to the right; zeros move in, so that a
    shift by the width or more gives 0.
  }];
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs, BoolAttr:$left);
  let specials = [Nn_Special<["1", "64"], "0">, Nn_Special<["0", "1"], "0">];
  let monotone = "none";
  let range = "every integer of the type";
  let resultGrid = "none";
}
