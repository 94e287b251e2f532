include "tally/ops/IndexingBase.td"

def Nn_GatherElementsOp : Nn_GatherLikeOp<"gather_elements"> {
  let summary = "one element per index, along a dimension";
  let description = [{
    The output has the shape of the indices:
    `output[.., i, ..] = data[.., indices[.., i, ..], ..]` at dimension `axis`.
    Quantized meaning: as nn.gather.

    Rules (with INDEX-1 to INDEX-3):
      * GATHERELEM-1  `axis` is a dimension of the data, and the indices have
                      the data's rank
      * GATHERELEM-2  no other dimension of the indices is larger than the
                      data's
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
