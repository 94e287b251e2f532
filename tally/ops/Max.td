include "tally/ops/OpBase.td"

def Nn_MaxOp : Nn_BinaryOp<"max", [DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "the greater of a and b, broadcast";
  let description = [{
    NaN when either is NaN, else `a < b ? b : a`, so that of two zeros of
    different sign the first is the result. Quantized: the exact real, one
    rounding.
  }];
  let specials = [Nn_Special<["nan", "1"], "nan">,
                  Nn_Special<["1", "nan"], "nan">, Nn_Special<["0", "-0"], "0">,
                  Nn_Special<["-0", "0"], "-0">,
                  Nn_Special<["int_min", "int_max"], "int_max">];
  let monotone = "up in either operand";
  let range = "the operands' range";
}
