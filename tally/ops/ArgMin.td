include "tally/ops/OpBase.td"

def Nn_ArgMinOp : Nn_Op<"arg_min"> {
  let summary = "index of the smallest element along an axis";
  let description = [{
    The result is i64. The first of equal elements counts, with selectLast the
    last. A NaN counts as smallest. -0 equals +0. On codes: the index of the
    smallest code, which is that of the smallest real.

    Rules:
      * ARG-1  the axis lies in [0, rank) and is not empty
      * ARG-2  elements: plain, or quantized per tensor
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$axis,
                       DefaultValuedAttr<BoolAttr, "true">:$keepdims,
                       DefaultValuedAttr<BoolAttr, "false">:$selectLast);
  let results = (outs Nn_Tensor:$output);
  let elements = "plain, or quantized per tensor";
  let specialNote = "NaN counts as smallest; -0 equals +0";
  let examples = [
    Nn_Example<["1x4: 1 nan -inf nan"], ["i64 1x1: 1"], "{axis = 1 : i64}">,
    Nn_Example<["1x2: 0 -0"], ["i64 1x1: 0"], "{axis = 1 : i64}">,
    Nn_Example<["1x3: 1 int_min int_max"], ["i64 1x1: 1"], "{axis = 1 : i64}",
      "integer">
  ];
  let monotone = "none";
  let range = "indices of the dimension";
  let resultGrid = "none";
  let gridNote = "plain i64";
}
