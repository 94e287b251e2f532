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
  let elementKinds = "kCodes";
  let sharedRules = [Nn_ELEM_3];
  let specialNote = "codes have none";
  let courses = [Nn_Up<"-inf", "inf">];
  let resultGrid = "free";
  let gridNote = "on an equal grid the identity";
  let blocks = [Nn_Affine<"s1 / s2">] # Nn_Tables;
}
