include "tally/ops/Reduce.td"

def Nn_ReduceProdOp
    : Nn_ReduceOp<"reduce_prod"> {
  let summary = "product of the reduced elements";
  let description = [{
    Floats: one product per term in ascending order, from 1. Integers wrap. No
    meaning on codes.
    Axes and rules: see Reduce.td.
  }];
  let elementKinds = "kNumber";
  let resultGrid = "none";
  let specials = [Nn_Special<["inf", "0"], "nan">,
                  Nn_Special<["nan", "0"], "nan">,
                  Nn_Special<["int_min", "-1"], "int_min">];
  let monotone = "none";
  let range = "every real";
}
