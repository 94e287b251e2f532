include "tally/ops/IndexingBase.td"

def Nn_ScatterElementsOp : Nn_ScatterLikeOp<"scatter_elements"> {
  let summary = "writes single elements along a dimension";
  let description = [{
    The output starts as the data; then each update in row-major order goes to
    `output[.., indices[.., i, ..], ..]` at dimension `axis`: it replaces the
    element (`reduction` none; the last one stays), or is combined with it by
    one operation of the element's type (add, mul, min, max). Integers wrap;
    f16 and bf16 are computed in f32 and rounded at each update; NaN wins min
    and max; of equal numbers the old one stays.

    Rules (with INDEX-1 to INDEX-3):
      * SCATTER-1  data, indices and updates fit: equal ranks, indices and
                   updates of one shape, no dimension but `axis` larger than
                   the data's
      * SCATTER-2  data and updates have one plain element type, not boolean
                   where elements are combined
  }];
  let arguments = (ins Nn_Tensor:$data, Nn_Tensor:$indices, Nn_Tensor:$updates,
                       I64Attr:$axis, Nn_UpdateKind:$reduction);
  let elements = "plain data and updates of one type, indices i32 or i64";
  let specialNote =
      "as data and updates combine: NaN wins min and max, integers wrap; an "
      "index outside is clamped";
  let monotone = "up in every element, but for mul";
  let range = "every real";
  let resultGrid = "none";
}
