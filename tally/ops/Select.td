include "tally/ops/MovementBase.td"

def Nn_SelectOp : Nn_MovementOp<"select"> {
  let summary = "picks indices along dimensions, in any order, repeatedly";
  let description = [{
    Along `axes[n]` the result's indices run through `segments[n]`, a list of
    triples (first, count, step): the k-th index of a triple reads index
    `first + k * step` of the input. Other dimensions are kept.

    Stands for ONNX's Gather with constant indices, Resize and Upsample of
    mode nearest, and Pad of modes edge, reflect and wrap. Example: padding
    a dimension of size 5 by 2 on both sides is (2, 2, -1, 0, 5, 1, 3, 2, -1)
    for reflect, (0, 2, 0, 0, 5, 1, 4, 2, 0) for edge.

    Rules:
      * SELECT-1  axes are dimensions of the input in ascending order, and each
                  has a list of triples with counts of at least 1
      * SELECT-2  every index that is read exists
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$axes,
      TypedArrayAttrBase<DenseI64ArrayAttr, "lists of triples">:$segments);
  let examples = [
    Nn_Example<["3: nan -0 inf"], ["3: inf -0 nan"],
      "{axes = array<i64: 0>, segments = [array<i64: 2, 3, -1>]}">
  ];
}
