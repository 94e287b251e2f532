include "tally/ops/OpBase.td"

def Nn_ConvTransposeOp : Nn_Op<"conv_transpose",
    [Nn_FusionAnchor,
     DeclareOpInterfaceMethods<Nn_Quantizable, ["hasQuantizedMeaning"]>]> {
  let summary = "N-dimensional transposed convolution";
  let description = [{
    Shapes: input [N, C, D1..Dn], weight [C, M/group, K1..Kn], bias [M], output
    [N, M, O1..On] with `O = stride * (D - 1) + outputPadding +
    dilation * (K - 1) + 1 - padBegin - padEnd`. Input element i and kernel
    position k meet in output `i * stride - padBegin + k * dilation`.

    Float meaning: that of nn.conv with stride 1 over the input with
    `stride - 1` zeros between neighbours and real zeros around it, and with
    each kernel dimension reversed: from +0, one fused multiply-add per input
    channel of the group and reversed kernel position, in this order; zeros
    take part; the bias is added last.

    Quantized meaning: as nn.conv.

    Rules:
      * CONVT-1  input and weight have equal rank >= 3
      * CONVT-2  C is the weight's first dimension and a multiple of group
      * CONVT-3  strides, dilations, outputPadding and pads have n, n, n and 2n
                 entries; strides and dilations are positive, outputPadding is
                 not negative and less than the stride or the dilation
      * CONVT-4  every output dimension is positive
      * CONVT-5  the bias has shape [M]
      * CONVT-6  element types: all float of one type, or quantized input (per
                 tensor) and weight (per tensor, or per axis 1: entry m serves
                 channel m of every group)
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$weight,
                       Nn_OptionalTensor:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$outputPadding, I64Attr:$group);
  let results = (outs Nn_Tensor:$output);
  let elements = "floats of one type, or quantized input and weight";
  let specialNote =
      "a product of 0 and an infinity is NaN, and so is the sum it enters";
  let examples = [
    Nn_Example<["1x1x2: 0 inf", "1x1x1: 0"], ["1x1x2: 0 nan"],
      "{strides = array<i64: 1>, pads = array<i64: 0, 0>, "
      "dilations = array<i64: 1>, outputPadding = array<i64: 0>, "
      "group = 1 : i64}">,
    Nn_Example<["1x1x2: 1 -inf", "1x1x2: 1 1"], ["1x1x3: 1 -inf -inf"],
      "{strides = array<i64: 1>, pads = array<i64: 0, 0>, "
      "dilations = array<i64: 1>, outputPadding = array<i64: 0>, "
      "group = 1 : i64}">,
    Nn_Example<["1x1x1: 1", "1x1x2: 1 inf"], ["1x1x2: nan inf"],
      "{strides = array<i64: 1>, pads = array<i64: 0, 0>, "
      "dilations = array<i64: 1>, outputPadding = array<i64: 0>, "
      "group = 1 : i64}">
  ];
  let monotone = "in an input element as the sign of its weight says";
  let range = "every real";
  let resultGrid = "free";
}
