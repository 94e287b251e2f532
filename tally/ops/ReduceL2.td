include "tally/ops/Reduce.td"

def Nn_ReduceL2Op
    : Nn_ReduceOp<"reduce_l2"> {
  let summary = "root of the sum of squares";
  let description = [{
    Floats: the pinned sum with one fused multiply-add x * x + partial per term,
    then one correctly rounded square root. No meaning on integers and codes.
    Axes and rules: see Reduce.td.
  }];
}
