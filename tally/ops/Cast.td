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
  let examples = [
    Nn_OwnTypes<["f32 4: nan inf -inf -0"], ["i32 4: 0 int_max int_min 0"]>,
    Nn_OwnTypes<["f64 3: nan -1 300"], ["ui8 3: 0 0 255"]>,
    Nn_OwnTypes<["f32 3: nan -0 -inf"], ["i1 3: true false true"]>,
    Nn_OwnTypes<["f32 4: nan inf -0 65520"], ["f16 4: nan inf -0 inf"]>,
    Nn_OwnTypes<["i32 2: 300 int_min"], ["i8 2: 44 0"]>
  ];
  let monotone = "up, but from integer to a narrower integer";
  let range = "every value of the result's type";
  let resultGrid = "none";
}
