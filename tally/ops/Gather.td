include "tally/ops/IndexingBase.td"

def Nn_GatherOp : Nn_GatherLikeOp<"gather"> {
  let summary = "slices of a dimension, in the order of an index tensor";
  let description = [{
    Shapes: data [A.., D, B..] with D at `axis`, indices [I..], output
    [A.., I.., B..]: `output[a, i, b] = data[a, indices[i], b]`.

    Quantized meaning: the picked codes are moved to the result's grid, the
    exact real rounded once; on one grid they are copied.

    Rules (with INDEX-1 to INDEX-3):
      * GATHER-1  `axis` is a dimension of the data
  }];
  let arguments = (ins Nn_Tensor:$data, Nn_Tensor:$indices, I64Attr:$axis);
  let elements = "data plain or quantized per tensor, indices i32 or i64";
  let specialNote =
      "elements are copied as they are; an index outside is clamped";
  let examples = [
    Nn_Example<["3: nan -0 inf", "i64 4: 0 1 5 -7"], ["4: nan -0 inf nan"],
      "{axis = 0 : i64}">
  ];
  let monotone = "up in every element";
  let range = "the data's range";
  let resultGrid = "free";
}
