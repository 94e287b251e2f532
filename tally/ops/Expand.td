include "tally/ops/MovementBase.td"

def Nn_ExpandOp : Nn_MovementOp<"expand", [Nn_View]> {
  let summary = "repeats dimensions of size 1";
  let description = [{
    The result has shape `shape`; dimensions are matched from the last one,
    and a dimension of size 1, or one that the input lacks, is repeated.

    Rules:
      * EXPAND-1  the input broadcasts to `shape`
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$shape);
  let examples = [
    Nn_Example<["1x2: nan -0"], ["2x2: nan -0 nan -0"],
      "{shape = array<i64: 2, 2>}">
  ];
}
