include "tally/ops/OpBase.td"

def Nn_PadOp : Nn_Op<"pad",
    [DeclareOpInterfaceMethods<Nn_Quantizable, ["hasQuantizedMeaning"]>]> {
  let summary = "surrounds a tensor with one value, or crops it";
  let description = [{
    Dimension `d` of the result has `before[d]` new elements in front and
    `after[d]` behind; a negative number removes elements instead. New elements
    are `value`, by default 0. (ONNX's modes edge, reflect and wrap repeat
    elements of the input: nn.select.)

    Quantized meaning: elements of the input are moved to the result's grid as
    nn.concat does; `value` is a real number, rounded once onto the result's
    grid (infinities saturate, NaN gives the smallest code), so the default is
    the zero point.

    Rules:
      * PAD-1  before and after have one entry per dimension
      * PAD-2  no dimension of the result is negative
      * PAD-3  `value` is one number of the input's element type, or of f32
               when the input is quantized
      * PAD-4  a quantized input is quantized per tensor
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_OptionalTensor:$value,
                       DenseI64ArrayAttr:$before, DenseI64ArrayAttr:$after);
  let results = (outs Nn_Tensor:$output);
  let elements = "plain, or quantized per tensor";
  let specialNote =
      "elements are copied as they are; a padding value NaN gives the "
      "smallest code on codes, infinities saturate";
  let examples = [
    Nn_Example<["2: nan -0", "scalar: inf"], ["3: inf nan -0"],
      "{before = array<i64: 1>, after = array<i64: 0>}">,
    Nn_OwnTypes<["codes 1: 3", "const f32 scalar: nan"], ["codes 2: int_min 3"],
      "{before = array<i64: 1>, after = array<i64: 0>}">,
    Nn_OwnTypes<["codes 1: 3", "const f32 scalar: inf"], ["codes 2: int_max 3"],
      "{before = array<i64: 1>, after = array<i64: 0>}">
  ];
  let monotone = "up in every element";
  let range = "the input's range and the value";
  let resultGrid = "free";
}
