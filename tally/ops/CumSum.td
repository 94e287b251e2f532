include "tally/ops/OpBase.td"

def Nn_CumSumOp : Nn_Op<"cum_sum", [Nn_AlongAxis]> {
  let summary = "running sums along a dimension";
  let description = [{
    Element i is the sum of elements 0 to i (`exclusive`: to i - 1), in
    ascending order from the first one; with `reverse` from the last one down.

    Float meaning: one addition per element in that order, the first element
    is not added to anything; f16 and bf16 keep the running sum in f32 and
    round each output. Integers wrap.

    Rules:
      * CUMSUM-1  `axis` is a dimension, and elements are plain numbers
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$axis, BoolAttr:$exclusive,
                       BoolAttr:$reverse);
  let results = (outs Nn_Tensor:$output);
  let elements = "plain numbers";
  let specialNote = "NaN stays from its position on; integers wrap";
  let examples = [
    Nn_Example<["4: 1 nan 2 inf"], ["4: 1 nan nan nan"],
      "{axis = 0 : i64, exclusive = false, reverse = false}">,
    Nn_Example<["2: int_max 1"], ["2: int_max int_min"],
      "{axis = 0 : i64, exclusive = false, reverse = false}", "integer">
  ];
  let monotone = "up in every element, but for integers that wrap";
  let range = "every real";
  let resultGrid = "none";
}
