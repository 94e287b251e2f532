include "tally/ops/Reduce.td"

def Nn_ReduceSumOp
    : Nn_ReduceOp<"reduce_sum", [DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "sum of the reduced elements";
  let description = [{
    Floats: the pinned sum. Integers wrap. Codes: the exact sum of the exact
    reals, one rounding.
    Axes and rules: see Reduce.td.
  }];
  let elementKinds = "kNumber | kCodes";
  let resultGrid = "free";
  let specials = [Nn_Special<["inf", "-inf"], "nan">,
                  Nn_Special<["nan", "1"], "nan">,
                  Nn_Special<["int_max", "1"], "int_min">];
  let monotone = "up in every element, but for integers that wrap";
  let range = "every real";
}
