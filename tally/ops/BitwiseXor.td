include "tally/ops/OpBase.td"

def Nn_BitwiseXorOp : Nn_BinaryOp<"bitwise_xor", [], "kInteger"> {
  let summary = "the bits that one of both has, broadcast";
  let description = [{
    Plain integers.
  }];
  let specials = [Nn_Special<["int_min", "int_min"], "0">,
                  Nn_Special<["int_min", "int_max"], "-1">];
  let monotone = "none";
  let range = "every integer of the type";
  let resultGrid = "none";
}
