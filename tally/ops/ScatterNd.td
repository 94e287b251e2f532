include "tally/ops/IndexingBase.td"

def Nn_ScatterNdOp : Nn_ScatterLikeOp<"scatter_nd"> {
  let summary = "writes slices at index tuples";
  let description = [{
    Shapes: data [D1..Dn, S..], indices [I.., n], updates [I.., S..]. The output
    starts as the data; then the slices of `updates` go in row-major order to
    the places that the tuples name, as nn.scatter_elements writes elements.

    Rules (with INDEX-1 to INDEX-3, SCATTER-2):
      * SCATTERND-1  the tuples are not longer than the data's rank, and the
                     updates have shape [I.., S..]
  }];
  let arguments = (ins Nn_Tensor:$data, Nn_Tensor:$indices, Nn_Tensor:$updates,
                       Nn_UpdateKind:$reduction);
  let elements = "plain data and updates of one type, indices i32 or i64";
  let specialNote =
      "as data and updates combine: NaN wins min and max, integers wrap; an "
      "index outside is clamped";
  let examples = [
    Nn_Example<["3: 1 2 3", "i64 2x1: 9 -9", "2: nan -0"], ["3: -0 2 nan"],
      "{reduction = \"none\"}">,
    Nn_Example<["2: 1 nan", "i64 2x1: 0 1", "2: nan 1"], ["2: nan nan"],
      "{reduction = \"min\"}">,
    Nn_Example<["1: int_max", "i64 1x1: 0", "1: 1"], ["1: int_min"],
      "{reduction = \"add\"}", "integer">
  ];
  let monotone = "up in every element, but for mul";
  let range = "every real";
  let resultGrid = "none";
}
