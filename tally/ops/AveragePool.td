include "tally/ops/Pool.td"

def Nn_AveragePoolOp : Nn_PoolOp<"average_pool"> {
  let summary = "mean of each window";
  let description = [{
    Shapes and rules: see Pool.td. The divisor is the number of taps that read
    the input or, with countIncludePad, that lie inside the padded input (taps
    that ceilMode adds beyond the end padding never count).

    Floats: the pinned sum (quant/pinned/Sum.h) over all taps in row-major
    order, taps outside the input as +0, then one division. A window without
    taps gives 0/0, NaN.

    Codes: the exact mean of the exact reals, one rounding. A window without
    taps means real 0. Under the onnxruntime profile QLinearAveragePool: fp32
    reals added in row-major order, and with countIncludePad every tap counts;
    a window that is the whole image as nn.reduce_mean.
  }];
  let arguments = !con(commonArguments,
      (ins DefaultValuedAttr<BoolAttr, "false">:$countIncludePad));
  let elements = "floats, or quantized per tensor";
  let specialNote =
      "NaN and infinities follow the sum; a window without taps gives NaN, on "
      "codes real 0";
  let examples = [
    Nn_Example<["1x1x3: 1 nan 2"], ["1x1x2: nan nan"], Nn_WindowsOfTwo>,
    Nn_Example<["1x1x3: 1 inf -inf"], ["1x1x2: inf nan"], Nn_WindowsOfTwo>,
    Nn_Example<["1x1x1: 2"], ["1x1x1: nan"], Nn_WindowMissesAll>,
    Nn_OwnTypes<["codes 1x1x1: 2"], ["codes 1x1x1: 0"], Nn_WindowMissesAll>
  ];
  let monotone = "up in every element";
  let range = "the elements' range and 0";
  let resultGrid = "free";
}
