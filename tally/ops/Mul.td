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
  let specials = [Nn_Special<["inf", "0"], "nan">,
                  Nn_Special<["nan", "0"], "nan">,
                  Nn_Special<["-1", "0"], "-0", "float">,
                  Nn_Special<["int_min", "-1"], "int_min">];
  let monotone = "none: in one operand as the other's sign says";
  let range = "every real";
}
