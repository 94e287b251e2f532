include "tally/ops/OpBase.td"

def Nn_DivOp : Nn_BinaryOp<"div", [], "kNumber"> {
  let summary = "a / b, broadcast";
  let description = [{
    Floats: one rounded division. Integers truncate toward zero; a zero divisor
    gives 0, and INT_MIN / -1 wraps to INT_MIN. Codes have no quotient of their
    own: between Quantize nodes the float meaning holds.
  }];
  let specials = [Nn_Special<["1", "0"], "inf", "float">,
                  Nn_Special<["-1", "0"], "-inf", "float">,
                  Nn_Special<["0", "0"], "nan", "float">,
                  Nn_Special<["inf", "inf"], "nan">,
                  Nn_Special<["1", "inf"], "0">,
                  Nn_Special<["7", "0"], "0", "integer">,
                  Nn_Special<["int_min", "-1"], "int_min">,
                  Nn_Special<["-7", "2"], "-3", "integer">];
  let monotone = "none";
  let range = "every real";
  let resultGrid = "none";
  let gridNote = "between Dequantize and Quantize the float meaning holds";
}
