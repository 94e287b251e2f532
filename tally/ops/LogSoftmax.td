include "tally/ops/OpBase.td"

def Nn_LogSoftmaxOp : Nn_Op<"log_softmax", [Nn_AlongAxis]> {
  let summary = "logarithm of the softmax along an axis";
  let description = [{
    With m, e and s as in nn.softmax: `y[i] = (x[i] - m) - log(s)` with the
    pinned log.

    Rules:
      * SOFTMAX-1  the axis is a dimension
      * SOFTMAX-2  elements are f32, f16 or bf16
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$axis);
  let results = (outs Nn_Tensor:$output);
  let elements = "f32, f16, bf16";
  let specialNote = "NaN or +inf in a line makes the line NaN";
  let examples = [
    Nn_Example<["1x2: nan 1"], ["1x2: nan nan"], "{axis = 1 : i64}">,
    Nn_Example<["1x2: inf 1"], ["1x2: nan nan"], "{axis = 1 : i64}">,
    Nn_Example<["1x2: -inf 0"], ["1x2: -inf 0"], "{axis = 1 : i64}">
  ];
  let monotone = "up in the element itself, down in every other of its line";
  let range = "up to 0";
  let resultGrid = "none";
  let gridNote = "between Dequantize and Quantize the float meaning holds";
}
