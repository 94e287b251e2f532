include "tally/ops/MovementBase.td"

def Nn_ReshapeOp : Nn_MovementOp<"reshape", [Nn_View]> {
  let summary = "the same elements under another shape";
  let description = [{
    Stands for ONNX's Reshape, Flatten, Squeeze and Unsqueeze. A per-axis grid
    survives where its axis keeps its size and the product of the dimensions
    before it.

    Rules:
      * RESHAPE-1  the element counts are equal
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$shape);
  let examples = [
    Nn_Example<["2: nan -0"], ["2x1: nan -0"], "{shape = array<i64: 2, 1>}">
  ];
}
