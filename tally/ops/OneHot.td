include "tally/ops/OpBase.td"

def Nn_OneHotOp : Nn_Op<"one_hot"> {
  let summary = "a new dimension that is on at one index";
  let description = [{
    A dimension of size `depth` is inserted at `axis`. Along it the output is
    `values[1]` at the index that the input names and `values[0]` elsewhere. A
    negative index counts from the end; one outside [-depth, depth) leaves all
    off. A fraction is cut off.

    Rules:
      * ONEHOT-1  `depth` is at least 1, `axis` a dimension of the result
      * ONEHOT-2  `values` has two elements, and neither operand is quantized
  }];
  let arguments = (ins Nn_Tensor:$indices, Nn_Tensor:$values, I64Attr:$depth,
                       I64Attr:$axis);
  let results = (outs Nn_Tensor:$output);
  let elements = "plain numbers";
  let specialNote =
      "a fraction of an index is cut off; an index outside leaves all off";
  let examples = [
    Nn_Example<["f32 3: 1.9 -1 5", "2: -0 inf"],
      ["3x3: -0 inf -0 -0 -0 inf -0 -0 -0"],
      "{depth = 3 : i64, axis = 1 : i64}">
  ];
  let monotone = "none";
  let range = "the two values";
  let resultGrid = "none";
}
