include "tally/ops/Reduce.td"

def Nn_ReduceLogSumOp
    : Nn_ReduceOp<"reduce_log_sum"> {
  let summary = "logarithm of the sum";
  let description = [{
    f32 and halves: the pinned log of the pinned sum. No meaning on f64, integers
    and codes.
    Axes and rules: see Reduce.td.
  }];
  let elementKinds = "kFloat";
  let resultGrid = "none";
  let specials = [Nn_Special<["0", "0"], "-inf">,
                  Nn_Special<["-1", "0"], "nan">,
                  Nn_Special<["nan", "1"], "nan">,
                  Nn_Special<["inf", "1"], "inf">];
  let monotone = "up in every element";
  let range = "every real";
}
