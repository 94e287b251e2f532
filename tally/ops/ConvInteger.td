include "tally/ops/OpBase.td"

def Nn_ConvIntegerOp : Nn_Op<"conv_integer",
    [Nn_FusionAnchor, AttrSizedOperandSegments]> {
  let summary = "convolution of plain 8-bit integers in 32 bits";
  let description = [{
    Shapes and window as nn.conv: `sum of (input - inputZeroPoint) * (weight -
    weightZeroPoint)`; the i32 result wraps. Padding is real 0, that is the
    input's zero point. Zero points may be computed at run time; absent ones
    are 0. The input has one, the weight one or one per output channel.

    Rules (with CONV-1 to CONV-4):
      * CONVI-1  input and weight are i8 or ui8, zero points of the same type
      * CONVI-2  the input's zero point is one number, the weight's one or [M]
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$weight,
                       Nn_OptionalTensor:$inputZeroPoint,
                       Nn_OptionalTensor:$weightZeroPoint,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, I64Attr:$group);
  let results = (outs Nn_Tensor:$output);
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> positionalOperands() {
      return {getInput(), getWeight(), getInputZeroPoint(),
              getWeightZeroPoint()};
    }
  }];
  let elements = "plain i8 or ui8";
  let specialNote = "i32 sums wrap";
  let examples = [
    Nn_OwnTypes<["i8 1x1x2: int_min int_max", "i8 1x1x1: int_min"],
      ["i32 1x1x2: 16384 -16256"],
      "{strides = array<i64: 1>, pads = array<i64: 0, 0>, "
      "dilations = array<i64: 1>, group = 1 : i64, "
      "operandSegmentSizes = array<i32: 1, 1, 0, 0>}">
  ];
  let monotone = "in an input element as the sign of its weight says";
  let range = "every i32";
  let resultGrid = "none";
  let gridNote = "plain i32";
}
