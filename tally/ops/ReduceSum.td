include "tally/ops/Reduce.td"

def Nn_ReduceSumOp
    : Nn_ReduceOp<"reduce_sum", [DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "sum of the reduced elements";
  let description = [{
    Floats: the pinned sum. Integers wrap. Codes: the exact sum of the exact
    reals, one rounding.
    Axes and rules: see Reduce.td.
  }];
}
