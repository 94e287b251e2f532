include "tally/ops/MovementBase.td"

def Nn_ReverseSequenceOp : Nn_MovementOp<"reverse_sequence"> {
  let summary = "reverses the first lengths[b] steps of each sequence";
  let description = [{
    At index `b` of dimension `batchAxis` and index `t` of dimension `timeAxis`
    the result reads time `lengths[b] - 1 - t` when `t < lengths[b]`, and `t`
    otherwise; all other indices are kept.

    Rules:
      * REVERSE-1  the axes are two different dimensions of the input
      * REVERSE-2  `lengths` has one entry per batch index, each from 0 to the
                   size of the time dimension
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$batchAxis, I64Attr:$timeAxis,
                       DenseI64ArrayAttr:$lengths);
  let examples = [
    Nn_Example<["2x1: nan -0"], ["2x1: -0 nan"],
      "{batchAxis = 1 : i64, timeAxis = 0 : i64, lengths = array<i64: 2>}">
  ];
}
