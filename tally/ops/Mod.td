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
  let specials = [Nn_Special<["inf", "1"], "nan">,
                  Nn_Special<["1", "inf"], "1">,
                  Nn_Special<["1", "0"], "nan", "float">,
                  Nn_Special<["7", "0"], "0", "integer">,
                  Nn_Special<["-7", "2"], "-1">,
                  Nn_Special<["int_min", "-1"], "0">];
  let specialNote = "with fmod";
  let monotone = "none";
  let range = "magnitudes below b's";
  let resultGrid = "none";
}
