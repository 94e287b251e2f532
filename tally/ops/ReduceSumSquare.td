include "tally/ops/Reduce.td"

def Nn_ReduceSumSquareOp
    : Nn_ReduceOp<"reduce_sum_square"> {
  let summary = "sum of the squares";
  let description = [{
    Floats: the pinned sum with one fused multiply-add x * x + partial per term.
    Integers wrap. No meaning on codes.
    Axes and rules: see Reduce.td.
  }];
  let elementKinds = "kNumber";
  let resultGrid = "none";
  let specials = [Nn_Special<["-inf", "1"], "inf">,
                  Nn_Special<["nan", "1"], "nan">,
                  Nn_Special<["int_min", "0"], "0">];
  let monotone = "none: up in each magnitude";
  let range = "from 0 on, but for integers that wrap";
}
