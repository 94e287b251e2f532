// RUN: tally-check %s --executor=eval,cpu

// [1 2; 3 4] * [5 6; 7 8]^T = [17 23; 39 53]; times 0.5, plus 2 * [1, 10].
func.func @float(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2xf32>) -> tensor<2x2xf32> attributes {
    inputs = [dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>,
              dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>,
              dense<[1.0, 10.0]> : tensor<2xf32>],
    expected = [dense<[[10.5, 31.5], [21.5, 46.5]]> : tensor<2x2xf32>]} {
  %0 = nn.gemm %a, %b, %c {alpha = 0.5 : f32, beta = 2.0 : f32, transA = false, transB = true}
      : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

!a = !quant.uniform<u8:f32, 0.5:128>
!b = !quant.uniform<i8:f32:0, {0.5, 0.25, 1.0}>
!c = !quant.uniform<i32:f32:0, {0.25, 0.125, 0.5}>
!y = !quant.uniform<u8:f32, 1.0:7>

// Steps of A: 2, -4. Rows of B (transposed): (1, 1), (3, -2), (-1, 2).
//   sums: -2, 14, -10; biases 3, 2, 1: 1, 16, -9
//   reals: 0.25, 2.0, -4.5 -> 0, 2, -4 (tie to even); plus 7
func.func @quantized(%a: tensor<1x2x!a>) -> tensor<1x3x!y> attributes {
    inputs = [dense<[[130, 124]]> : tensor<1x2xui8>],
    expected = [dense<[[7, 9, 3]]> : tensor<1x3xui8>]} {
  %b = nn.constant dense<[[1, 1], [3, -2], [-1, 2]]> : tensor<3x2xi8> : tensor<3x2x!b>
  %c = nn.constant dense<[3, 2, 1]> : tensor<3xi32> : tensor<3x!c>
  %0 = nn.gemm %a, %b, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = true}
      : (tensor<1x2x!a>, tensor<3x2x!b>, tensor<3x!c>) -> tensor<1x3x!y>
  return %0 : tensor<1x3x!y>
}
