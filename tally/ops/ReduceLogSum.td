include "tally/ops/Reduce.td"

def Nn_ReduceLogSumOp
    : Nn_ReduceOp<"reduce_log_sum"> {
  let summary = "logarithm of the sum";
  let description = [{
    f32 and halves: the pinned log of the pinned sum. No meaning on f64, integers
    and codes.
    Axes and rules: see Reduce.td.
  }];
}
