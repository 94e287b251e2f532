include "tally/ops/OpBase.td"

def Nn_ResizeOp : Nn_Op<"resize",
    [DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "weighted sums of few neighbours along dimensions";
  let description = [{
    Along `axes[n]` the result has `sizes[n]` indices, and each is a sum of
    `T[n]` taps: entries `o * T[n]` to `(o + 1) * T[n]` of `sources[n]` and
    `weights[n]` are the input indices and the weights of result index `o`. A
    weight is an integer in units of 2^-23. Other dimensions are kept.

    Stands for ONNX's Resize and Upsample of modes linear and cubic: the
    import states the taps (graph/import/ResizeTaps.h), whose weights sum to
    exactly 1. (Mode nearest is nn.select.)

    Float meaning: along the axes in their order, each from the result of the
    one before: the sum starts at +0 and takes one fused multiply-add per tap
    in ascending order; a tap of weight 0 takes no part. f16 and bf16 are
    computed in f32 and rounded once at the end.

    Integer and quantized meaning: the exact sum of products of the reals with
    the weights of all axes, one rounding half to even onto the result's grid
    (for plain integers the integers themselves), saturated.

    Rules:
      * RESIZE-1  axes are 1 to 3 dimensions of the input in ascending order,
                  and each has a size, sources and weights
      * RESIZE-2  there are as many sources as weights, a multiple (at least
                  1) of the size, none for size 0, and every source exists
      * RESIZE-3  elements are floats, integers of at most 32 bits, or
                  quantized per tensor with at most 16 bits
      * RESIZE-4  no weight exceeds 2^24 in magnitude (so that it is an fp32
                  number), nor their magnitudes' sum per result index 2^26
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$axes,
      DenseI64ArrayAttr:$sizes,
      TypedArrayAttrBase<DenseI64ArrayAttr, "lists of indices">:$sources,
      TypedArrayAttrBase<DenseI64ArrayAttr, "lists of weights">:$weights);
  let results = (outs Nn_Tensor:$output);
  let elements = "floats, integers of at most 32 bits, or quantized per tensor";
  let specialNote =
      "NaN and infinities follow the sum; a tap of weight 0 takes no part; "
      "integers saturate";
  let examples = [
    Nn_Example<["2: nan 1"], ["1: nan"],
      "{axes = array<i64: 0>, sizes = array<i64: 1>, "
      "sources = [array<i64: 0, 1>], "
      "weights = [array<i64: 4194304, 4194304>]}">,
    Nn_Example<["2: nan 1"], ["1: 1"],
      "{axes = array<i64: 0>, sizes = array<i64: 1>, "
      "sources = [array<i64: 0, 1>], weights = [array<i64: 0, 8388608>]}">,
    Nn_Example<["2: inf -inf"], ["1: nan"],
      "{axes = array<i64: 0>, sizes = array<i64: 1>, "
      "sources = [array<i64: 0, 1>], "
      "weights = [array<i64: 4194304, 4194304>]}">,
    Nn_Example<["2: int_max int_min"], ["1: int_max"],
      "{axes = array<i64: 0>, sizes = array<i64: 1>, "
      "sources = [array<i64: 0, 1>], "
      "weights = [array<i64: 12582912, -4194304>]}", "integer">
  ];
  let monotone = "in an element as the sign of its weight says";
  let range = "every real";
  let resultGrid = "free";
}
