include "tally/ops/OpBase.td"

def Nn_QuantizeOp : Nn_Op<"quantize", [Nn_ElementwiseStage]> {
  let summary = "real numbers to codes";
  let description = [{
    `code = sat(RHE(x / scale) + zeroPoint)`. From a float tensor the quotient
    is rounded to that type, as ONNX defines it for a scale of the same type,
    and NaN gives the smallest code; when the input has an exact meaning (see
    QuantizedGroup.h) the exact real is rounded once.

    Rules:
      * QUANT-1  the input is f32, f16, bf16 or i32
      * QUANT-2  the result is quantized
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$output);
  let hasVerifier = 1;
  let elements = "f32, f16, bf16, i32";
  let specialNote = "NaN gives the smallest code; infinities saturate";
  let examples = [
    Nn_Example<["4: nan inf -inf -0"], ["codes 4: int_min int_max int_min 0"]>
  ];
  let monotone = "up";
  let range = "every code";
  let resultGrid = "free";
  let gridNote = "the result type states it";
}
