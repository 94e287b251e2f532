include "tally/ops/OpBase.td"

def Nn_RequantizeOp : Nn_Op<"requantize",
    [Nn_ElementwiseStage, DeclareOpInterfaceMethods<Nn_TableOperator>]> {
  let summary = "the same reals on another grid";
  let description = [{
    Each code's exact real, rounded once onto the result's grid. Under the
    onnxruntime profile dequantized and quantized in fp32, as by QLinearConcat
    (eval/OnnxRuntimeKernels.h).

    Rules:
      * REQ-1  input and result are quantized per tensor
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$output);
  let hasVerifier = 1;
}
