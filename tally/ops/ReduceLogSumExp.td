include "tally/ops/Reduce.td"

def Nn_ReduceLogSumExpOp
    : Nn_ReduceOp<"reduce_log_sum_exp"> {
  let summary = "logarithm of the sum of exponentials";
  let description = [{
    f32 and halves: with c the largest term, or +0 where that is not finite,
    log(pinned sum of exp(x - c)) + c with the pinned exp and log. No meaning on
    f64, integers and codes.
    Axes and rules: see Reduce.td.
  }];
  let elementKinds = "kFloat";
  let resultGrid = "none";
  let specials = [Nn_Special<["-inf", "-inf"], "-inf">,
                  Nn_Special<["inf", "1"], "inf">,
                  Nn_Special<["nan", "1"], "nan">];
  let monotone = "up in every element";
  let range = "from the largest element on";
}
