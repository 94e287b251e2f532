include "tally/ops/OpBase.td"

def Nn_NotOp : Nn_ElementwiseOp<"not", "inferUnary", "kBool", []> {
  let summary = "whether x is false";
  let description = [{
    Of booleans.
  }];
  let arguments = (ins Nn_Tensor:$input);
  let sharedRules = [Nn_ELEM_3];
  let specials = [Nn_At<"false", "true">, Nn_At<"true", "false">];
  let monotone = "down";
  let range = "false and true";
  let resultGrid = "none";
  let blocks = [Nn_Xor<"1">];
}
