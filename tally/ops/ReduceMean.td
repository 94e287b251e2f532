include "tally/ops/Reduce.td"

def Nn_ReduceMeanOp
    : Nn_ReduceOp<"reduce_mean", [DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "mean of the reduced elements";
  let description = [{
    Floats: the pinned sum, then one division by the count; the mean of nothing
    is NaN. Integers: the exact sum divided by the count, truncated toward
    zero. Codes: the exact mean of the exact reals, one rounding; the mean of
    nothing is real 0. Under the onnxruntime profile QLinearGlobalAveragePool:
    the sum of steps times fl32(scale / fl32(resultScale * count)), while the
    sum fits 32 bits. Stands for ONNX's GlobalAveragePool too.
    Axes and rules: see Reduce.td.
  }];
  let elementKinds = "kNumber | kCodes";
  let resultGrid = "free";
  let specials = [Nn_Special<["inf", "-inf"], "nan">,
                  Nn_Special<["nan", "1"], "nan">,
                  Nn_Special<["int_max", "int_max"], "int_max">,
                  Nn_Special<["-1", "-2"], "-1", "integer">];
  let monotone = "up in every element";
  let range = "the elements' range";
}
