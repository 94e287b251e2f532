include "tally/ops/OpBase.td"

def Nn_SoftmaxOp : Nn_Op<"softmax", [Nn_AlongAxis]> {
  let summary = "exp(x) over its sum along an axis";
  let description = [{
    Per line along `axis`, in fp32, each operation rounded once:
    `m = largest x` (NaN when there is one), `e[i] = exp(x[i] - m)` with the
    pinned exp, `s = pinned sum of e`, `y[i] = e[i] / s`.

    No meaning on f64 and on codes (between Quantize and Dequantize this float
    meaning holds; a model's own integer softmax is nn.integer_softmax).

    Rules:
      * SOFTMAX-1  the axis is a dimension
      * SOFTMAX-2  elements are f32, f16 or bf16
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$axis);
  let results = (outs Nn_Tensor:$output);
  let elements = "f32, f16, bf16";
  let specialNote =
      "NaN or +inf in a line makes the line NaN; -inf gives 0 beside a finite "
      "element";
  let examples = [
    Nn_Example<["1x2: nan 1"], ["1x2: nan nan"], "{axis = 1 : i64}">,
    Nn_Example<["1x2: inf 1"], ["1x2: nan nan"], "{axis = 1 : i64}">,
    Nn_Example<["1x2: -inf 0"], ["1x2: 0 1"], "{axis = 1 : i64}">
  ];
  let monotone = "up in the element itself, down in every other of its line";
  let range = "[0, 1]";
  let resultGrid = "none";
  let gridNote = "between Dequantize and Quantize the float meaning holds";
}
