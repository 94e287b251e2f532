include "tally/ops/OpBase.td"

def Nn_BitwiseNotOp : Nn_ElementwiseOp<"bitwise_not", "inferUnary", "kInteger", []> {
  let summary = "every bit flipped";
  let description = [{
    That is -x - 1. Plain integers only: on codes it would act on the storage, not
    on the real.
  }];
  let arguments = (ins Nn_Tensor:$input);
}
