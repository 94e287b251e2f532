include "tally/ops/OpBase.td"

def Nn_ConvOp : Nn_Op<"conv",
    [Nn_FusionAnchor,
     DeclareOpInterfaceMethods<Nn_Quantizable, ["hasQuantizedMeaning"]>]> {
  let summary = "N-dimensional convolution (cross-correlation)";
  let description = [{
    Shapes: input [N, C, D1..Dn], weight [M, C/group, K1..Kn], bias [M],
    output [N, M, O1..On] with
    `O = floor((D + padBegin + padEnd - dilation * (K - 1) - 1) / stride) + 1`.
    `pads` lists all begins, then all ends; they may be negative (cropping).
    Padding is real 0.

    Float meaning: each output starts at +0 and accumulates one fused
    multiply-add per term in ascending order of the weight's own layout
    (channel, then kernel position); padded taps take part as 0; the bias is
    added last.

    Quantized meaning: the exact sum of products of reals, plus the bias, one
    rounding. A bias of i32 codes whose scale equals fl32(sx * sw[c]) means
    b * sx * sw[c]; any other bias scale, and a float bias, is a real addend.

    Rules:
      * CONV-1  input and weight have equal rank >= 3
      * CONV-2  C is group times the weight's second dimension, and M is a
                multiple of group
      * CONV-3  strides, dilations and pads have n, n and 2n entries;
                kernel, strides and dilations are positive
      * CONV-4  every output dimension is positive
      * CONV-5  the bias has shape [M]
      * CONV-6  element types: all float of one type, or quantized input
                (per tensor) and weight (per tensor, or per axis 0) with a
                bias of floats or codes
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$weight,
                       Nn_OptionalTensor:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, I64Attr:$group);
  let results = (outs Nn_Tensor:$output);
  let elements = "floats of one type, or quantized input and weight";
  let specialNote =
      "a product of 0 and an infinity is NaN, and so is the sum it enters; "
      "padding is +0";
  let examples = [
    Nn_Example<["1x1x3: 1 inf 2", "1x1x2: 0 1"], ["1x1x2: inf nan"],
      Nn_PlainConv>,
    Nn_Example<["1x1x1: 1", "1x1x2: inf 1"], ["1x1x1: nan"],
      "{strides = array<i64: 1>, pads = array<i64: 1, 0>, "
      "dilations = array<i64: 1>, group = 1 : i64}">
  ];
  let monotone = "in an input element as the sign of its weight says";
  let range = "every real";
  let resultGrid = "free";
}
