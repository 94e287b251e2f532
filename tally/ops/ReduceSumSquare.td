include "tally/ops/Reduce.td"

def Nn_ReduceSumSquareOp
    : Nn_ReduceOp<"reduce_sum_square"> {
  let summary = "sum of the squares";
  let description = [{
    Floats: the pinned sum with one fused multiply-add x * x + partial per term.
    Integers wrap. No meaning on codes.
    Axes and rules: see Reduce.td.
  }];
}
