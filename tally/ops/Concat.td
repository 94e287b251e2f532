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
  let monotone = "up in every element";
  let range = "the operands' range";
  let resultGrid = "free";
}
