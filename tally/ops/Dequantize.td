include "tally/ops/OpBase.td"

def Nn_DequantizeOp : Nn_Op<"dequantize", [Nn_ElementwiseStage]> {
  let summary = "codes to real numbers";
  let description = [{
    `x = (code - zeroPoint) * scale`; the difference is exact, converted to
    fp32 with one rounding, then one fp32 product.

    Rules:
      * DEQ-1  the input is quantized
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$output);
  let elements = "codes";
  let specialNote = "codes have none";
  let examples = [
    Nn_OwnTypes<["codes 2: int_min int_max"], ["f32 2: -128 127"]>
  ];
  let monotone = "up";
  let range = "(min - z) s to (max - z) s";
  let resultGrid = "none";
  let gridNote = "f32";
}
