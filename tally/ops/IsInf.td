include "tally/ops/OpBase.td"

def Nn_IsInfOp : Nn_ClassifyOp<"is_inf"> {
  let summary = "whether x is an infinity";
  let description = [{
    Of either sign, or of the ones asked for.
  }];
  let arguments = (ins Nn_Tensor:$input, BoolAttr:$negative, BoolAttr:$positive);
}
