include "tally/ops/OpBase.td"

def Nn_MatMulOp : Nn_Op<"matmul",
    [Nn_FusionAnchor,
     DeclareOpInterfaceMethods<Nn_Quantizable, ["hasQuantizedMeaning"]>]> {
  let summary = "matrix product of the last two dimensions";
  let description = [{
    Shapes: a' [.., M, K], b' [.., K, N], output [.., M, N]; leading dimensions
    broadcast as numpy does. a' is a, or with `transA` a with its last two
    dimensions exchanged, likewise b'. (A vector operand of ONNX's MatMul is a
    matrix of one row or column with a reshape around it.)

    Float meaning: each output accumulates from +0 with one fused multiply-add
    per term in ascending k. Plain integers wrap.

    Quantized meaning: the exact sum of products of reals, one rounding.

    Rules:
      * MATMUL-1  both ranks are at least 2, and the inner dimensions agree
      * MATMUL-2  the leading dimensions broadcast
      * MATMUL-3  element types: one plain type, or quantized a (per tensor, or
                  per row of a': its axis of M) and b (per tensor, or per
                  column of b': its axis of N)
  }];
  let arguments = (ins Nn_Tensor:$a, Nn_Tensor:$b,
                       DefaultValuedAttr<BoolAttr, "false">:$transA,
                       DefaultValuedAttr<BoolAttr, "false">:$transB);
  let results = (outs Nn_Tensor:$output);
  let elements = "one plain type, or quantized a and b";
  let specialNote =
      "a product of 0 and an infinity is NaN, and so is the sum it enters; "
      "integers wrap";
  let examples = [
    Nn_Example<["1x2: 0 1", "2x1: inf 1"], ["1x1: nan"]>,
    Nn_Example<["1x1: 1", "1x1: -inf"], ["1x1: -inf"]>,
    Nn_OwnTypes<["i32 1x1: int_max", "i32 1x1: 2"], ["i32 1x1: -2"]>
  ];
  let monotone = "in an element as the sign of its factors says";
  let range = "every real";
  let resultGrid = "free";
}
