include "tally/ops/OpBase.td"

def Nn_ConstantOp : Nn_Op<"constant", [ConstantLike]> {
  let summary = "a constant tensor";
  let description = [{
    `value` holds what is in memory: plain numbers, or the codes of a quantized
    result (sub-byte codes one per byte).

    Rules:
      * CONST-1  the result has the value's shape and the storage element of
                 the result is the value's element
      * CONST-2  every code lies in the storage range of a quantized result
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Nn_Tensor:$output);
  let hasFolder = 1;
  let hasVerifier = 1;
  let assemblyFormat = "attr-dict $value `:` type($output)";
  let elements = "every type";
  let specialNote = "any value";
  let monotone = "constant";
  let range = "its values";
  let resultGrid = "free";
  let gridNote = "codes of the grid it states";
}
