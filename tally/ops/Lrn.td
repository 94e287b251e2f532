include "tally/ops/OpBase.td"

def Nn_LrnOp : Nn_Op<"lrn"> {
  let summary = "local response normalization across channels";
  let description = [{
    Input [N, C, D1..Dn]. In fp32, each operation rounded once, with q the sum
    from +0 of one fused multiply-add x * x + q per channel from
    c - floor((size - 1) / 2) to c + ceil((size - 1) / 2), ascending, channels
    that do not exist left out: `y = x / pow((alpha / size) * q + bias, beta)`
    with the pinned pow.

    Rules:
      * LRN-1  the input has rank >= 3 and size is positive
      * LRN-2  elements are f32, f16 or bf16
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$size, F32Attr:$alpha,
                       F32Attr:$beta, F32Attr:$bias);
  let results = (outs Nn_Tensor:$output);
  let elements = "f32, f16, bf16";
  let specialNote =
      "NaN and infinities follow the formula, operation by operation";
  let examples = [
    Nn_Example<["1x3x1: nan inf -0"], ["1x3x1: nan nan -0"],
      "{size = 1 : i64, alpha = 1.0 : f32, beta = 1.0 : f32, "
      "bias = 1.0 : f32}">
  ];
  let monotone = "none";
  let range = "every real";
  let resultGrid = "none";
}
