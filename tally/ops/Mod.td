include "tally/ops/OpBase.td"

def Nn_ModOp : Nn_BinaryOp<"mod", [], "kNumber"> {
  let summary = "the rest of a / b, broadcast";
  let description = [{
    With `fmod` the rest has the sign of a (of the quotient truncated toward
    zero) and is exact for floats; without, integers only, it has the sign of b
    (of the floored quotient). An integer divided by zero leaves 0; a float by
    zero NaN.

    Rules:
      * MOD-1  floats need fmod
  }];
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs, BoolAttr:$fmod);
  let hasVerifier = 1;
}
