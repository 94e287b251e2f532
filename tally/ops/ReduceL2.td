include "tally/ops/Reduce.td"

def Nn_ReduceL2Op
    : Nn_ReduceOp<"reduce_l2"> {
  let summary = "root of the sum of squares";
  let description = [{
    Floats: the pinned sum with one fused multiply-add x * x + partial per term,
    then one correctly rounded square root. No meaning on integers and codes.
    Axes and rules: see Reduce.td.
  }];
  let elementKinds = "kReal";
  let resultGrid = "none";
  let specials = [Nn_Special<["-inf", "1"], "inf">,
                  Nn_Special<["nan", "1"], "nan">,
                  Nn_Special<["-0", "0"], "0">];
  let monotone = "none: up in each magnitude";
  let range = "from 0 on";
}
