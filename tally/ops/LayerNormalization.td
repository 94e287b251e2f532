include "tally/ops/OpBase.td"

def Nn_LayerNormalizationOp : Nn_Op<"layer_normalization"> {
  let summary = "zero mean and unit variance over the last dimensions";
  let description = [{
    Rows are the elements over the dimensions from `axis` on, n of them. In
    fp32 (f64 in double), each operation rounded once:

        mean    = (pinned sum of x) / n
        inverse = 1 / sqrt(v / n + epsilon), v the pinned sum with one
                  fused multiply-add d * d + partial per d = x - mean
        y       = (x - mean) * inverse * scale + bias

    `scale` and `bias` broadcast to the input. Results: y, and per row (the
    input's shape with 1 from `axis` on) the mean and the inverse, in f32.

    Rules:
      * LAYERNORM-1  the axis is a dimension
      * LAYERNORM-2  all operands are floats of one type
      * LAYERNORM-3  scale and bias have one shape and broadcast to the input
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$scale,
                       Nn_OptionalTensor:$bias, I64Attr:$axis,
                       F32Attr:$epsilon);
  let results = (outs Nn_Tensor:$output, Nn_Tensor:$mean, Nn_Tensor:$inverse);
  let elements = "floats of one type";
  let specialNote = "NaN or an infinity in a row makes the row NaN";
  let examples = [
    Nn_OwnTypes<["f32 2x2: inf 1 1 3", "f32 2: 1 1", "f32 2: 0 0"],
      ["f32 2x2: nan nan -1 1", "f32 2x1: inf 2", "f32 2x1: nan 1"],
      "{axis = 1 : i64, epsilon = 0.0 : f32}">,
    Nn_OwnTypes<["f32 2x2: nan 1 1 3", "f32 2: 1 1", "f32 2: 0 0"],
      ["f32 2x2: nan nan -1 1", "f32 2x1: nan 2", "f32 2x1: nan 1"],
      "{axis = 1 : i64, epsilon = 0.0 : f32}">
  ];
  let monotone = "none";
  let range = "every real";
  let resultGrid = "none";
}
