include "tally/ops/OpBase.td"

def Nn_BitwiseOrOp : Nn_BinaryOp<"bitwise_or", [], "kInteger"> {
  let summary = "the bits that either has, broadcast";
  let description = [{
    Plain integers.
  }];
  let specials = [Nn_Special<["int_min", "int_max"], "-1">,
                  Nn_Special<["0", "int_min"], "int_min">];
  let monotone = "none";
  let range = "every integer of the type";
  let resultGrid = "none";
}
