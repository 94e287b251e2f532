// RUN: tally-check %s --executor=eval,cpu

// A = [1 2; 3 4], B = [5 6; 7 8]: element (0, 0) of A^T B is 1*5 + 3*7 = 26, of
// A B^T 1*5 + 2*6 = 17, of A^T B^T 1*5 + 3*6 = 23.
func.func @float(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) attributes {
    inputs = [dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>, dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>],
    expected = [dense<[[26.0, 30.0], [38.0, 44.0]]> : tensor<2x2xf32>, dense<[[17.0, 23.0], [39.0, 53.0]]> : tensor<2x2xf32>, dense<[[23.0, 31.0], [34.0, 46.0]]> : tensor<2x2xf32>]} {
  %0 = nn.matmul %a, %b {transA = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.matmul %a, %b {transB = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.matmul %a, %b {transA = true, transB = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// Plain integers: (1, 2, 3) and (4, 5, 6), each a column, times the columns
// (1, 0, 1) and (0, 1, 10), each a row: 1 + 3 = 4, 2 + 30 = 32; 10, 65.
func.func @batch(%a: tensor<2x3x1xi32>, %b: tensor<2x3xi32>) -> tensor<2x1x2xi32> attributes {
    inputs = [dense<[[[1], [2], [3]], [[4], [5], [6]]]> : tensor<2x3x1xi32>, dense<[[1, 0, 1], [0, 1, 10]]> : tensor<2x3xi32>],
    expected = [dense<[[[4, 32]], [[10, 65]]]> : tensor<2x1x2xi32>]} {
  %0 = nn.matmul %a, %b {transA = true, transB = true} : (tensor<2x3x1xi32>, tensor<2x3xi32>) -> tensor<2x1x2xi32>
  return %0 : tensor<2x1x2xi32>
}

!q = !quant.uniform<i8:f32, 1.0>

// The same on codes, with packed weights.
func.func @batch_of_codes(%a: tensor<2x3x1x!q>) -> tensor<2x1x2x!q> attributes {
    inputs = [dense<[[[1], [2], [3]], [[4], [5], [6]]]> : tensor<2x3x1xi8>],
    expected = [dense<[[[4, 32]], [[10, 65]]]> : tensor<2x1x2xi8>]} {
  %b = nn.constant dense<[[1, 0, 1], [0, 1, 10]]> : tensor<2x3xi8> : tensor<2x3x!q>
  %0 = nn.matmul %a, %b {transA = true, transB = true} : (tensor<2x3x1x!q>, tensor<2x3x!q>) -> tensor<2x1x2x!q>
  return %0 : tensor<2x1x2x!q>
}

!row = !quant.uniform<i8:f32:1, {0.25:0, 1.0:1}>
!column = !quant.uniform<i8:f32:0, {0.25:0, 1.0:1}>
!x = !quant.uniform<u8:f32, 0.5:10>
!y = !quant.uniform<i8:f32, 1.0:-3>

// Rows of a' are along axis 1 of a, columns of b' along axis 0 of b. Line 0:
// 3 * 2 * 0.125 = 0.75, code 1 - 3 = -2; line 1: (5 - 1) * 2 * 0.5 = 4, code 1.
func.func @per_row(%a: tensor<1x2x!row>, %b: tensor<1x1x!x>) -> tensor<2x1x!y> attributes {
    inputs = [dense<[[3, 5]]> : tensor<1x2xi8>, dense<[[12]]> : tensor<1x1xui8>],
    expected = [dense<[[-2], [1]]> : tensor<2x1xi8>]} {
  %0 = nn.matmul %a, %b {transA = true} : (tensor<1x2x!row>, tensor<1x1x!x>) -> tensor<2x1x!y>
  return %0 : tensor<2x1x!y>
}
func.func @per_column(%a: tensor<1x1x!x>, %b: tensor<2x1x!column>) -> tensor<1x2x!y> attributes {
    inputs = [dense<[[12]]> : tensor<1x1xui8>, dense<[[3], [5]]> : tensor<2x1xi8>],
    expected = [dense<[[-2, 1]]> : tensor<1x2xi8>]} {
  %0 = nn.matmul %a, %b {transB = true} : (tensor<1x1x!x>, tensor<2x1x!column>) -> tensor<1x2x!y>
  return %0 : tensor<1x2x!y>
}

!w = !quant.uniform<i8:f32, 1.0:1>

// One constant, read by columns and by rows: steps [0 1; 2 3], x = (5, 6).
// x W = (12, 5 + 18), x W^T = (6, 10 + 18); the Gemm reads it as the first
// product does.
func.func @both_orders(%x: tensor<1x2x!q>) -> (tensor<1x2x!q>, tensor<1x2x!q>, tensor<1x2x!q>) attributes {
    inputs = [dense<[[5, 6]]> : tensor<1x2xi8>],
    expected = [dense<[[12, 23]]> : tensor<1x2xi8>, dense<[[6, 28]]> : tensor<1x2xi8>, dense<[[12, 23]]> : tensor<1x2xi8>]} {
  %w = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8> : tensor<2x2x!w>
  %0 = nn.matmul %x, %w : (tensor<1x2x!q>, tensor<2x2x!w>) -> tensor<1x2x!q>
  %1 = nn.matmul %x, %w {transB = true} : (tensor<1x2x!q>, tensor<2x2x!w>) -> tensor<1x2x!q>
  %2 = nn.gemm %x, %w {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<1x2x!q>, tensor<2x2x!w>) -> tensor<1x2x!q>
  return %0, %1, %2 : tensor<1x2x!q>, tensor<1x2x!q>, tensor<1x2x!q>
}

// a' has the rows (3, 4) and (5, 6), less 1 and 2; b' the column (10, 20), less
// 1. 2 * 9 + 3 * 19 = 75, 3 * 9 + 4 * 19 = 103. Zero points in the shape of
// their matrix with K replaced by 1.
func.func @zero_points(%a: tensor<2x2xui8>, %b: tensor<1x2xi8>, %za: tensor<1x2xui8>, %zb: tensor<1x1xi8>) -> tensor<2x1xi32> attributes {
    inputs = [dense<[[3, 5], [4, 6]]> : tensor<2x2xui8>, dense<[[10, 20]]> : tensor<1x2xi8>, dense<[[1, 2]]> : tensor<1x2xui8>, dense<1> : tensor<1x1xi8>],
    expected = [dense<[[75], [103]]> : tensor<2x1xi32>]} {
  %0 = nn.matmul_integer %a, %b, %za, %zb {operandSegmentSizes = array<i32: 1, 1, 1, 1>, transA = true, transB = true} : (tensor<2x2xui8>, tensor<1x2xi8>, tensor<1x2xui8>, tensor<1x1xi8>) -> tensor<2x1xi32>
  return %0 : tensor<2x1xi32>
}
