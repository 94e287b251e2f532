include "tally/ops/MovementBase.td"

def Nn_TransposeOp : Nn_MovementOp<"transpose", [Nn_View]> {
  let summary = "permutes the dimensions";
  let description = [{
    Dimension `d` of the result is dimension `permutation[d]` of the input:
    `output[i0, i1, ..] = input[j0, j1, ..]` with `j[permutation[d]] = i[d]`.

    A per-axis grid along input axis `a` is along axis `d` of the result with
    `permutation[d] = a`, the inverse permutation.

    Rules:
      * TRANSPOSE-1  `permutation` holds each dimension of the input once
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let examples = [
    Nn_Example<["1x2: nan -0"], ["2x1: nan -0"],
      "{permutation = array<i64: 1, 0>}">
  ];
}
