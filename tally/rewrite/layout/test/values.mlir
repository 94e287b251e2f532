// RUN: tally-check %s --executor=eval,cpu

// The CPU runs what the layout rewrite leaves, the evaluator the graph as it is
// written; both give the numbers below.

!x = !quant.uniform<u8:f32, 0.5:10>
!row = !quant.uniform<i8:f32:0, {0.25:1, 1.0:-2, 0.5}>
!y = !quant.uniform<i8:f32, 1.0:-3>

// Steps of W by rows: (0, 1) / 4, (5, 6), (5, 6) / 2; x steps (2, 4) and
// (-10, 1), times 1/2. Row 0: 4 / 8 = 0.5 -> 0, 1 / 8 -> 0; row 1: 34 / 2 = 17,
// -44 / 2 = -22; row 2: 34 / 4 = 8.5 -> 8, -44 / 4 = -11. Then -3.
func.func @per_row(%x: tensor<2x2x!x>) -> tensor<3x2x!y> attributes {
    inputs = [dense<[[12, 0], [14, 11]]> : tensor<2x2xui8>],
    expected = [dense<[[-3, -3], [14, -25], [5, -14]]> : tensor<3x2xi8>]} {
  %w = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!row>
  %0 = nn.matmul %w, %x : (tensor<3x2x!row>, tensor<2x2x!x>) -> tensor<3x2x!y>
  return %0 : tensor<3x2x!y>
}

!w = !quant.uniform<i8:f32, 1.0>
!b = !quant.uniform<i32:f32, 0.5>

// alpha 2, beta 1, a bias per row of 10 and 20 units of 2 * 1 * 0.5 = 1 if its
// scale says so; 0.5 does not, so they are the reals 5 and 10. W^T x, M = N:
// x steps (2, 4; -10, 1): rows (1, 3) and (2, 4): 2 - 30 = -28, 4 + 3 = 7,
// 4 - 40 = -36, 8 + 4 = 12. Times 2 * 0.5, plus the bias, minus 3.
func.func @gemm(%x: tensor<2x2x!x>) -> tensor<2x2x!y> attributes {
    inputs = [dense<[[12, 14], [0, 11]]> : tensor<2x2xui8>],
    expected = [dense<[[-26, 9], [-29, 19]]> : tensor<2x2xi8>]} {
  %w = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8> : tensor<2x2x!w>
  %c = nn.constant dense<[[10], [20]]> : tensor<2x1xi32> : tensor<2x1x!b>
  %0 = nn.gemm %w, %x, %c {alpha = 2.0 : f32, beta = 1.0 : f32, transA = true, transB = false} : (tensor<2x2x!w>, tensor<2x2x!x>, tensor<2x1x!b>) -> tensor<2x2x!y>
  return %0 : tensor<2x2x!y>
}

!rows = !quant.uniform<i8:f32:0, {1.0, 2.0}>
!moved = !quant.uniform<i8:f32:1, {1.0, 2.0}>

// Codes 1 to 8 of [2, 2, 2] on scales 1 and 2 along axis 0, where a wrong axis
// has a scale to offer, too: 1 2 3 4, 10 12 14 16, negated.
func.func @square_grid(%x: tensor<2x2x2x!rows>) -> tensor<2x2x2xf32> attributes {
    inputs = [dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi8>],
    expected = [dense<[[[-1.0, -2.0], [-3.0, -4.0]], [[-10.0, -12.0], [-14.0, -16.0]]]> : tensor<2x2x2xf32>]} {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x2x2x!rows>) -> tensor<2x2x2x!moved>
  %1 = nn.dequantize %0 : (tensor<2x2x2x!moved>) -> tensor<2x2x2xf32>
  %2 = nn.neg %1 : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %3 = nn.transpose %2 {permutation = array<i64: 1, 2, 0>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  return %3 : tensor<2x2x2xf32>
}

// A transposed and a plain tensor meet. x = 1 .. 6 as [2, 3]; x^T + y with
// y = 10 .. 60 as [3, 2] is [11, 24; 32, 45; 53, 66]; its column means are 32
// and 45.
func.func @mixed(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2xf32> attributes {
    inputs = [dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>, dense<[[10.0, 20.0], [30.0, 40.0], [50.0, 60.0]]> : tensor<3x2xf32>],
    expected = [dense<[32.0, 45.0]> : tensor<2xf32>]} {
  %0 = nn.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = nn.add %0, %y : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = nn.reduce_mean %1 {axes = array<i64: 0>, keepdims = false} : (tensor<3x2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
