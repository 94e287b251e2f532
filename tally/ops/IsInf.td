include "tally/ops/OpBase.td"

def Nn_IsInfOp : Nn_ClassifyOp<"is_inf"> {
  let summary = "whether x is an infinity";
  let description = [{
    Of either sign, or of the ones asked for.
  }];
  let arguments = (ins Nn_Tensor:$input, BoolAttr:$negative, BoolAttr:$positive);
  let specials = [Nn_At<"nan", "false">, Nn_At<"inf", "true">,
                  Nn_At<"-inf", "true">, Nn_At<"-0", "false">];
  let specialNote = "with both signs asked for";
}
