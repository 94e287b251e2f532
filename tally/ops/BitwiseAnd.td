include "tally/ops/OpBase.td"

def Nn_BitwiseAndOp : Nn_BinaryOp<"bitwise_and", [], "kInteger"> {
  let summary = "the bits that both have, broadcast";
  let description = [{
    Plain integers.
  }];
  let specials = [Nn_Special<["int_min", "int_max"], "0">,
                  Nn_Special<["-1", "int_min"], "int_min">];
  let monotone = "none";
  let range = "every integer of the type";
  let resultGrid = "none";
}
