include "tally/ops/OpBase.td"

def Nn_GemmOp : Nn_Op<"gemm",
    [Nn_FusionAnchor,
     DeclareOpInterfaceMethods<Nn_Quantizable, ["hasQuantizedMeaning"]>]> {
  let summary = "alpha * A' * B' + beta * C";
  let description = [{
    Shapes: A' [M, K] (A, or its transpose with `transA`), B' [K, N], C
    broadcast to [M, N].

    Float meaning: each product sum accumulates from +0 with one fused
    multiply-add per term in ascending k; then times alpha (when not 1), then
    plus beta * C (the product only when beta is not 1).

    Quantized meaning: as nn.conv, with alpha as an exact factor of the
    product's scale and beta of the bias; a C of i32 codes whose scale equals
    fl32(fl32(alpha * sa) * sb[n]) counts in units of alpha * sa * sb[n],
    exactly, when beta is 1.

    Rules:
      * GEMM-1  A and B are matrices, and the inner dimensions agree
      * GEMM-2  C broadcasts to [M, N]
      * GEMM-3  element types: all float of one type, or quantized A (per
                tensor, or per axis of M) and B (per tensor, or per axis of N)
  }];
  let arguments = (ins Nn_Tensor:$a, Nn_Tensor:$b, Nn_OptionalTensor:$c,
                       F32Attr:$alpha, F32Attr:$beta,
                       BoolAttr:$transA, BoolAttr:$transB);
  let results = (outs Nn_Tensor:$output);
  let elements = "floats of one type, or quantized A and B";
  let specialNote =
      "a product of 0 and an infinity is NaN, and so is the sum it enters";
  let examples = [
    Nn_Example<["1x1: 0", "1x1: inf", "1: 1"], ["1x1: nan"],
      "{alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, "
      "transB = false}">,
    Nn_Example<["1x1: 1", "1x1: inf", "1: -inf"], ["1x1: nan"],
      "{alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, "
      "transB = false}">
  ];
  let monotone = "in an element as the sign of its factors says";
  let range = "every real";
  let resultGrid = "free";
}
