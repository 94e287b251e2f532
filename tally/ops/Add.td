include "tally/ops/OpBase.td"

def Nn_AddOp
    : Nn_BinaryOp<"add", [Nn_FusionAnchor,
                          DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "a + b, broadcast";
  let description = [{
    Integers wrap. On quantized tensors: the exact sum of both reals, one
    rounding onto the result's grid.

    Under the onnxruntime profile the codes of QLinearAdd, in that runtime's
    fp32 order of operations (eval/OnnxRuntimeKernels.h).
  }];
  let specials = [Nn_Special<["inf", "-inf"], "nan">,
                  Nn_Special<["nan", "1"], "nan">,
                  Nn_Special<["-0", "-0"], "-0">, Nn_Special<["-0", "0"], "0">,
                  Nn_Special<["int_max", "1"], "int_min">];
  let monotone = "up in either operand, but for integers that wrap";
  let range = "every real";
}
