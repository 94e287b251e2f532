include "tally/ops/OpBase.td"

def Nn_CastOp : Nn_Op<"cast", [Nn_ElementwiseStage]> {
  let summary = "numbers of one type as numbers of another";
  let description = [{
    Between all plain element types:

      * to bool: x != 0, NaN is true;
      * integer to integer: the low bits, two's complement;
      * float to integer: truncated toward zero; beyond the range the nearest
        value of the range, and NaN gives 0 (where ONNX leaves it open);
      * to float: one rounding to nearest even, overflow to infinity.

    A boolean counts as the integer 0 or 1.

    Rules:
      * CAST-2  neither side is quantized (that is nn.quantize and
                nn.dequantize)
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$output);
  let hasVerifier = 1;
  let elements = "all plain types";
  let specialNote =
      "float to integer: NaN gives 0, what lies beyond the range its nearest "
      "end; NaN to bool is true";
  let monotone = "up, but from integer to a narrower integer";
  let range = "every value of the result's type";
  let resultGrid = "none";
}
