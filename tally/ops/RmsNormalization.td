include "tally/ops/OpBase.td"

def Nn_RmsNormalizationOp : Nn_Op<"rms_normalization"> {
  let summary = "unit root mean square over the last dimensions";
  let description = [{
    As nn.layer_normalization without mean and bias:

        inverse = 1 / sqrt(v / n + epsilon), v the pinned sum with one
                  fused multiply-add x * x + partial per term
        y       = x * inverse * scale

    Rules:
      * RMSNORM-1  the axis is a dimension
      * RMSNORM-2  elements are floats
      * RMSNORM-3  the scale broadcasts to the input
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$scale, I64Attr:$axis,
                       F32Attr:$epsilon);
  let results = (outs Nn_Tensor:$output);
  let elements = "floats of one type";
  let specialNote =
      "NaN in a row makes the row NaN; an infinity NaN itself and 0 elsewhere";
  let examples = [
    Nn_Example<["2x2: nan 1 inf 1", "2: 1 1"], ["2x2: nan nan nan 0"],
      "{axis = 1 : i64, epsilon = 0.0 : f32}">
  ];
  let monotone = "none";
  let range = "every real";
  let resultGrid = "none";
}
