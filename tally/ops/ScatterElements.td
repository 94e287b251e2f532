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
  let examples = [
    Nn_Example<["3: 1 2 3", "i64 2: 9 -9", "2: nan -0"], ["3: -0 2 nan"],
      "{axis = 0 : i64, reduction = \"none\"}">,
    Nn_Example<["2: 1 nan", "i64 2: 0 1", "2: nan 1"], ["2: nan nan"],
      "{axis = 0 : i64, reduction = \"max\"}">,
    Nn_Example<["1: int_max", "i64 1: 0", "1: 1"], ["1: int_min"],
      "{axis = 0 : i64, reduction = \"add\"}", "integer">
  ];
  let monotone = "up in every element, but for mul";
  let range = "every real";
  let resultGrid = "none";
}
