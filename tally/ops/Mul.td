include "tally/ops/OpBase.td"

def Nn_MulOp
    : Nn_BinaryOp<"mul", [Nn_FusionAnchor,
                          DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "a * b, broadcast";
  let description = [{
    Integers wrap. On quantized tensors: the exact product of both reals, one
    rounding onto the result's grid.

    Under the onnxruntime profile the codes of QLinearMul, in that runtime's
    fp32 order of operations (eval/OnnxRuntimeKernels.h).
  }];
}
