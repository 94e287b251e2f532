include "tally/ops/Reduce.td"

def Nn_ReduceL1Op
    : Nn_ReduceOp<"reduce_l1"> {
  let summary = "sum of the magnitudes";
  let description = [{
    Floats: the pinned sum of |x|. Integers wrap. No meaning on codes.
    Axes and rules: see Reduce.td.
  }];
  let elementKinds = "kNumber";
  let resultGrid = "none";
  let specials = [Nn_Special<["-inf", "1"], "inf">,
                  Nn_Special<["nan", "1"], "nan">,
                  Nn_Special<["int_min", "0"], "int_min">];
  let monotone = "none: up in each magnitude";
  let range = "from 0 on, but for integers that wrap";
}
