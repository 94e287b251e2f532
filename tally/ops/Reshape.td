include "tally/ops/OpBase.td"

def Nn_ReshapeOp : Nn_Op<"reshape", 
    [Nn_View, DeclareOpInterfaceMethods<Nn_Movement, ["movedAxis"]>]> {
  let summary = "the same elements under another shape";
  let description = [{
    Stands for ONNX's Reshape, Flatten, Squeeze and Unsqueeze.

    Rules:
      * RESHAPE-1  the element counts are equal
      * RESHAPE-2  a per-axis grid's axis keeps its size and the product of the
                   dimensions before it
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$shape);
  let results = (outs Nn_Tensor:$output);
}
