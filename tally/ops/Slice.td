include "tally/ops/MovementBase.td"

def Nn_SliceOp : Nn_MovementOp<"slice", [Nn_View]> {
  let summary = "every step-th element of each dimension, from a start";
  let description = [{
    One entry per dimension: `output[i0, i1, ..]` is the input at
    `starts[d] + i[d] * steps[d]`; steps may be negative or 0. Stands for ONNX's
    Slice, Split (one slice per result) and the cropping of CenterCropPad.

    Rules:
      * SLICE-1  starts, sizes and steps have one entry per dimension
      * SLICE-2  every element that is read exists
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$steps);
  let examples = [
    Nn_Example<["3: nan -0 inf"], ["3: inf -0 nan"],
      "{starts = array<i64: 2>, sizes = array<i64: 3>, "
      "steps = array<i64: -1>}">
  ];
}
