include "tally/ops/OpBase.td"

def Nn_InstanceNormalizationOp : Nn_Op<"instance_normalization"> {
  let summary = "zero mean and unit variance of each channel of each image";
  let description = [{
    Input [N, C, D1..Dn]; the sequence of nn.layer_normalization over the
    spatial dimensions, with scale and bias [C].

    Rules:
      * INSTNORM-1  the input has rank >= 3, scale and bias have shape [C]
      * INSTNORM-2  elements are floats
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$scale, Nn_Tensor:$bias,
                       F32Attr:$epsilon);
  let results = (outs Nn_Tensor:$output);
  let elements = "floats of one type";
  let specialNote = "NaN or an infinity in a row makes the row NaN";
  let examples = [
    Nn_Example<["1x2x2: nan 1 1 3", "2: 1 1", "2: 0 0"],
      ["1x2x2: nan nan -1 1"], "{epsilon = 0.0 : f32}">,
    Nn_Example<["1x2x2: 1 3 1 -inf", "2: 1 1", "2: 0 0"],
      ["1x2x2: -1 1 nan nan"], "{epsilon = 0.0 : f32}">
  ];
  let monotone = "none";
  let range = "every real";
  let resultGrid = "none";
}
