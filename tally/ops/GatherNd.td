include "tally/ops/IndexingBase.td"

def Nn_GatherNdOp : Nn_GatherLikeOp<"gather_nd"> {
  let summary = "slices of a tensor at index tuples";
  let description = [{
    Shapes: data [B.., D1..Dn, S..], indices [B.., I.., n], output
    [B.., I.., S..]; `batchDims` counts the dimensions B. The last dimension of
    the indices holds tuples: `output[b, i] = data[b, tuple(b, i)]`, a slice of
    shape S. Quantized meaning: as nn.gather.

    Rules (with INDEX-1 to INDEX-3):
      * GATHERND-1  there are batchDims equal leading dimensions, and the
                    tuples are not longer than the data's other dimensions
  }];
  let arguments = (ins Nn_Tensor:$data, Nn_Tensor:$indices,
                       I64Attr:$batchDims);
  let elements = "data plain or quantized per tensor, indices i32 or i64";
  let specialNote =
      "elements are copied as they are; an index outside is clamped";
  let examples = [
    Nn_Example<["3: nan -0 inf", "i64 4x1: 0 1 5 -7"], ["4: nan -0 inf nan"],
      "{batchDims = 0 : i64}">
  ];
  let monotone = "up in every element";
  let range = "the data's range";
  let resultGrid = "free";
}
