include "tally/ops/OpBase.td"

def Nn_ConcatOp : Nn_Op<"concat", [DeclareOpInterfaceMethods<Nn_Quantizable>, Nn_AlongAxis]> {
  let summary = "tensors one after the other along a dimension";
  let description = [{
    Quantized meaning: the codes of each operand are moved to the result's
    grid as nn.requantize does; an operand that has the result's grid is
    copied.

    Rules:
      * CONCAT-1  there is an operand, and `axis` is a dimension of it
      * CONCAT-2  all shapes agree but for dimension `axis`
      * CONCAT-3  all element types agree, or all are quantized per tensor
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Nn_Tensor:$output);
  let elements = "all of one type, or all quantized per tensor";
  let specialNote = "elements are copied as they are";
  let examples = [
    Nn_Example<["2: nan -0", "1: inf"], ["3: nan -0 inf"], "{axis = 0 : i64}">,
    Nn_Example<["1: int_min", "1: int_max"], ["2: int_min int_max"],
      "{axis = 0 : i64}", "integer">
  ];
  let monotone = "up in every element";
  let range = "the operands' range";
  let resultGrid = "free";
}
