include "tally/ops/Reduce.td"

def Nn_ReduceL1Op
    : Nn_ReduceOp<"reduce_l1"> {
  let summary = "sum of the magnitudes";
  let description = [{
    Floats: the pinned sum of |x|. Integers wrap. No meaning on codes.
    Axes and rules: see Reduce.td.
  }];
}
