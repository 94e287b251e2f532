include "tally/ops/OpBase.td"

def Nn_BitwiseNotOp : Nn_ElementwiseOp<"bitwise_not", "inferUnary", "kInteger", []> {
  let summary = "every bit flipped";
  let description = [{
    That is -x - 1. Plain integers only: on codes it would act on the storage, not
    on the real.
  }];
  let arguments = (ins Nn_Tensor:$input);
  let sharedRules = [Nn_ELEM_3];
  let specials = [Nn_At<"0", "-1">, Nn_At<"int_min", "int_max">,
                  Nn_At<"int_max", "int_min">];
  let monotone = "down";
  let range = "every integer of the type";
  let resultGrid = "none";
  let blocks = [Nn_Xor<"min < 0 ? -1 : max">];
}
