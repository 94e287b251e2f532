include "tally/ops/OpBase.td"

def Nn_DequantizeRuntimeOp : Nn_Op<"dequantize_runtime"> {
  let summary = "plain codes to real numbers with a scale known when run";
  let description = [{
    `x = (code - zeroPoint) * scale`: the difference is exact, converted to
    fp32 with one rounding, then one fp32 product, rounded once more when the
    scale, and so the result, is f16 or bf16. A missing zero point is 0.

    Shapes of scale and zero point: as nn.quantize_runtime.

    Rules:
      * RTDQ-1  the input is an integer of at most 32 bits, the scale f32, f16
                or bf16
      * RTDQ-2  scale and zero point have one of those shapes
      * RTDQ-3  the zero point has the input's type
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$scale,
                       Nn_OptionalTensor:$zeroPoint, I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$blockSize);
  let results = (outs Nn_Tensor:$output);
  let elements = "plain integers of at most 32 bits";
  let specialNote = "a NaN scale gives NaN";
  let examples = [
    Nn_OwnTypes<["i8 2: 0 1", "f32 scalar: nan"], ["f32 2: nan nan"],
      "{axis = 0 : i64}">,
    Nn_OwnTypes<["i8 2: 0 1", "f32 scalar: inf"], ["f32 2: nan inf"],
      "{axis = 0 : i64}">
  ];
  let monotone = "up for a positive scale";
  let range = "every real";
  let resultGrid = "none";
  let gridNote = "floats of the scale's type";
}
