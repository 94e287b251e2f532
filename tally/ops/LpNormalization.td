include "tally/ops/OpBase.td"

def Nn_LpNormalizationOp : Nn_Op<"lp_normalization", [Nn_AlongAxis]> {
  let summary = "x over its norm along an axis";
  let description = [{
    Per line along `axis`: the norm is the pinned sum of |x| (p = 1), or the
    correctly rounded root of the pinned sum with one fused multiply-add
    x * x + partial per term (p = 2); then one division. A norm of 0 gives +0.

    Rules:
      * LPNORM-1  the axis is a dimension
      * LPNORM-2  elements are floats
      * LPNORM-3  p is 1 or 2
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$axis, I64Attr:$p);
  let results = (outs Nn_Tensor:$output);
  let elements = "floats";
  let specialNote =
      "NaN in a line makes the line NaN; a line of zeros gives +0";
  let examples = [
    Nn_Example<["1x2: nan 1"], ["1x2: nan nan"],
      "{axis = 1 : i64, p = 2 : i64}">,
    Nn_Example<["1x2: 0 -0"], ["1x2: 0 0"], "{axis = 1 : i64, p = 2 : i64}">,
    Nn_Example<["1x2: inf 1"], ["1x2: nan 0"], "{axis = 1 : i64, p = 1 : i64}">
  ];
  let monotone = "none";
  let range = "[-1, 1] but for rounding";
  let resultGrid = "none";
}
