// RUN: tally-check %s --executor=eval,cpu

// (3 - 1) * (5 - 2) + (0 - 1) * (1 - 2) = 7; without zero points 15.
func.func @zero_points(%a: tensor<1x2xui8>, %b: tensor<2x1xui8>, %za: tensor<ui8>, %zb: tensor<1xui8>) -> (tensor<1x1xi32>, tensor<1x1xi32>) attributes {
    inputs = [dense<[[3, 0]]> : tensor<1x2xui8>, dense<[[5], [1]]> : tensor<2x1xui8>, dense<1> : tensor<ui8>, dense<2> : tensor<1xui8>],
    expected = [dense<[[7]]> : tensor<1x1xi32>, dense<[[15]]> : tensor<1x1xi32>]} {
  %0 = nn.matmul_integer %a, %b, %za, %zb {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<1x2xui8>, tensor<2x1xui8>, tensor<ui8>, tensor<1xui8>) -> tensor<1x1xi32>
  %1 = nn.matmul_integer %a, %b {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<1x2xui8>, tensor<2x1xui8>) -> tensor<1x1xi32>
  return %0, %1 : tensor<1x1xi32>, tensor<1x1xi32>
}

// One zero point per row of a ([2]) and per column of b ([2]):
// [[3 - 1], [3 - 2]] * [[10 - 0, 10 - 5]] = [[20, 10], [10, 5]].
func.func @per_row_and_column(%a: tensor<2x1xui8>, %b: tensor<1x2xi8>, %za: tensor<2xui8>, %zb: tensor<2xi8>) -> tensor<2x2xi32> attributes {
    inputs = [dense<[[3], [3]]> : tensor<2x1xui8>, dense<[[10, 10]]> : tensor<1x2xi8>, dense<[1, 2]> : tensor<2xui8>, dense<[0, 5]> : tensor<2xi8>],
    expected = [dense<[[20, 10], [10, 5]]> : tensor<2x2xi32>]} {
  %0 = nn.matmul_integer %a, %b, %za, %zb {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<2x1xui8>, tensor<1x2xi8>, tensor<2xui8>, tensor<2xi8>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// One per row of each matrix: [2, 1, 1]. 3 - 1 = 2 and 3 - 3 = 0, times 4.
func.func @per_matrix(%a: tensor<2x1x1xui8>, %b: tensor<1x1xui8>, %za: tensor<2x1x1xui8>) -> tensor<2x1x1xi32> attributes {
    inputs = [dense<[[[3]], [[3]]]> : tensor<2x1x1xui8>, dense<[[4]]> : tensor<1x1xui8>, dense<[[[1]], [[3]]]> : tensor<2x1x1xui8>],
    expected = [dense<[[[8]], [[0]]]> : tensor<2x1x1xi32>]} {
  %0 = nn.matmul_integer %a, %b, %za {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<2x1x1xui8>, tensor<1x1xui8>, tensor<2x1x1xui8>) -> tensor<2x1x1xi32>
  return %0 : tensor<2x1x1xi32>
}
