include "tally/ops/OpBase.td"

def Nn_TopKOp : Nn_Op<"top_k", [Nn_AlongAxis]> {
  let summary = "the k largest or smallest elements along an axis";
  let description = [{
    Results: the elements, best first, and their indices along the axis in i64.
    Of equal elements the one with the lower index comes first. A NaN counts as
    largest; -0 equals +0. Codes are ordered as their reals are; the result has
    the input's grid.

    Rules:
      * TOPK-1  the axis is a dimension, and k lies in [0, its size]
      * TOPK-2  elements: plain numbers, or quantized per tensor
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$k, I64Attr:$axis,
                       DefaultValuedAttr<BoolAttr, "true">:$largest);
  let results = (outs Nn_Tensor:$values, Nn_Tensor:$indices);
  let elements = "plain numbers, or quantized per tensor";
  let specialNote = "NaN counts as largest; -0 equals +0";
  let examples = [
    Nn_Example<["4: 1 nan inf nan"], ["2: nan nan", "i64 2: 1 3"],
      "{axis = 0 : i64, k = 2 : i64, largest = true}">,
    Nn_Example<["3: nan 1 -inf"], ["3: -inf 1 nan", "i64 3: 2 1 0"],
      "{axis = 0 : i64, k = 3 : i64, largest = false}">,
    Nn_Example<["2: -0 0"], ["2: -0 0", "i64 2: 0 1"],
      "{axis = 0 : i64, k = 2 : i64, largest = true}">
  ];
  let monotone = "up in every element";
  let range = "the elements' range";
  let resultGrid = "same";
}
