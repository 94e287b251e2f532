// RUN: tally-check %s --executor=eval,cpu

// x[a, b, c] = 12a + 4b + c. Result dimension 0 is input dimension 2, so
// y[i, j, k] = x[j, k, i] = 12j + 4k + i. The permutation is not its own
// inverse and all sizes differ.
func.func @not_self_inverse(%x: tensor<2x3x4xi32>) -> tensor<4x2x3xi32> attributes {
    inputs = [dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]],
                     [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>],
    expected = [dense<[[[0, 4, 8], [12, 16, 20]], [[1, 5, 9], [13, 17, 21]],
                       [[2, 6, 10], [14, 18, 22]], [[3, 7, 11], [15, 19, 23]]]> : tensor<4x2x3xi32>]} {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xi32>) -> tensor<4x2x3xi32>
  return %0 : tensor<4x2x3xi32>
}

// A scalar has no dimensions to permute.
func.func @scalar(%x: tensor<f16>) -> tensor<f16> attributes {
    inputs = [dense<1.5> : tensor<f16>], expected = [dense<1.5> : tensor<f16>]} {
  %0 = nn.transpose %x {permutation = array<i64>} : (tensor<f16>) -> tensor<f16>
  return %0 : tensor<f16>
}

// Per-axis weights behind a transpose. W [2, 3] has a scale per row; as
// permutation[1] = 0, its transpose has them per column, which is what Gemm
// takes, so DQ(W) -> Transpose -> Gemm -> Q is one group.
//
//   a = (1, -3, 3) * 0.1, W = ((5, -9, -7), (6, -8, 1)) * (1, 3)
//   column 0: 5 + 27 - 21 = 11; column 1: 3 * (6 + 24 + 3) = 99, times 0.1
//   on the grid of scale 0.2: 5.5 -> 6 and 49.5 -> 50 (even)
//
// In fp32 both sums fall below the tie and would give 5 and 49.
!a = !quant.uniform<i8:f32, 0.1>
!w = !quant.uniform<i8:f32:0, {1.0, 3.0}>
!y = !quant.uniform<i8:f32, 0.2>
func.func @weights_behind(%a: tensor<1x3x!a>) -> tensor<1x2x!y> attributes {
    inputs = [dense<[[1, -3, 3]]> : tensor<1x3xi8>],
    expected = [dense<[[6, 50]]> : tensor<1x2xi8>]} {
  %w = nn.constant dense<[[5, -9, -7], [6, -8, 1]]> : tensor<2x3xi8> : tensor<2x3x!w>
  %0 = nn.dequantize %a : (tensor<1x3x!a>) -> tensor<1x3xf32>
  %1 = nn.dequantize %w : (tensor<2x3x!w>) -> tensor<2x3xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = nn.gemm %0, %2 {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<1x3xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>
  %4 = nn.quantize %3 : (tensor<1x2xf32>) -> tensor<1x2x!y>
  return %4 : tensor<1x2x!y>
}

// A per-axis grid along axis 0 of 2x3x4 is along axis 1 of the 4x2x3 result:
// code 1 of scale 0.5 and code 1 of scale 0.25 stay with their rows.
!p = !quant.uniform<i8:f32:0, {0.5, 0.25}>
!q = !quant.uniform<i8:f32:1, {0.5, 0.25}>
func.func @axis_moves(%x: tensor<2x1x3x!p>) -> tensor<3x2x1xf32> attributes {
    inputs = [dense<[[[1, 2, 3]], [[1, 2, 3]]]> : tensor<2x1x3xi8>],
    expected = [dense<[[[0.5], [0.25]], [[1.0], [0.5]], [[1.5], [0.75]]]> : tensor<3x2x1xf32>]} {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x1x3x!p>) -> tensor<3x2x1x!q>
  %1 = nn.dequantize %0 : (tensor<3x2x1x!q>) -> tensor<3x2x1xf32>
  return %1 : tensor<3x2x1xf32>
}
