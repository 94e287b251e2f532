include "tally/ops/OpBase.td"

def Nn_GroupNormalizationOp : Nn_Op<"group_normalization"> {
  let summary = "zero mean and unit variance of each group of channels";
  let description = [{
    Input [N, C, D1..Dn]; the sequence of nn.layer_normalization over the
    channels of one of numGroups equal groups and the spatial dimensions, with
    scale and bias [C], or [numGroups] as opset 18 has them.

    Rules:
      * GROUPNORM-1  the input has rank >= 2 and numGroups divides C
      * GROUPNORM-2  scale and bias have shape [C], or [numGroups]
      * GROUPNORM-3  elements are floats
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$scale, Nn_Tensor:$bias,
                       I64Attr:$numGroups, F32Attr:$epsilon);
  let results = (outs Nn_Tensor:$output);
  let elements = "floats of one type";
  let specialNote = "NaN or an infinity in a row makes the row NaN";
  let examples = [
    Nn_Example<["1x2x2: nan 1 1 3", "2: 1 1", "2: 0 0"],
      ["1x2x2: nan nan -1 1"], "{numGroups = 2 : i64, epsilon = 0.0 : f32}">,
    Nn_Example<["1x2x2: inf 1 1 3", "2: 1 1", "2: 0 0"],
      ["1x2x2: nan nan -1 1"], "{numGroups = 2 : i64, epsilon = 0.0 : f32}">
  ];
  let monotone = "none";
  let range = "every real";
  let resultGrid = "none";
}
