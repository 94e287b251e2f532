include "tally/ops/OpBase.td"

def Nn_BatchNormalizationOp
    : Nn_Op<"batch_normalization", [Nn_ElementwiseStage]> {
  let summary = "normalization by given statistics per channel";
  let description = [{
    Inference form. Per channel c (dimension 1; a tensor of rank 1 is one
    channel), in fp32 (f64 in double), each operation rounded once:
    `a = scale / sqrt(variance + epsilon)`, `y = (x - mean) * a + bias`.

    Rules:
      * BATCHNORM-1  scale, bias, mean and variance have one entry per channel
      * BATCHNORM-2  elements are floats
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$scale, Nn_Tensor:$bias,
                       Nn_Tensor:$mean, Nn_Tensor:$variance,
                       F32Attr:$epsilon);
  let results = (outs Nn_Tensor:$output);
  let elements = "floats of one type";
  let specialNote =
      "NaN and infinities follow the formula, operation by operation";
  let examples = [
    Nn_Example<
      ["1x3x1: nan inf 2", "3: 1 1 1", "3: 0 0 0", "3: 0 0 0", "3: 1 1 -1"],
      ["1x3x1: nan inf nan"], "{epsilon = 0.0 : f32}">
  ];
  let monotone = "in x as the sign of scale says";
  let range = "every real";
  let resultGrid = "none";
}
