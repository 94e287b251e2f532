include "tally/ops/OpBase.td"

def Nn_TriluOp : Nn_Op<"trilu"> {
  let summary = "the upper or lower triangle of matrices, 0 elsewhere";
  let description = [{
    Of the last two dimensions, element (i, j) is kept when `j >= i + k`
    (upper) or `j <= i + k` (lower).

    Rules:
      * TRILU-1  the input has at least two dimensions and is not quantized
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$k, BoolAttr:$upper);
  let results = (outs Nn_Tensor:$output);
  let elements = "plain numbers";
  let specialNote = "elements are copied as they are";
  let examples = [
    Nn_Example<["2x2: nan -0 inf 1"], ["2x2: nan -0 0 1"],
      "{k = 0 : i64, upper = true}">
  ];
  let monotone = "up in every element";
  let range = "the input's range and 0";
  let resultGrid = "none";
}
