include "tally/ops/OpBase.td"

def Nn_IsNanOp : Nn_ClassifyOp<"is_nan"> {
  let summary = "whether x is NaN";
  let description = [{
    Of every float element.
  }];
  let specials = [Nn_At<"nan", "true">, Nn_At<"inf", "false">,
                  Nn_At<"-inf", "false">, Nn_At<"-0", "false">];
}
