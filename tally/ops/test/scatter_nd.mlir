// RUN: tally-check %s --executor=eval,cpu

// Rows -1 and 0 are replaced.
func.func @rows(%x: tensor<3x2xf32>, %i: tensor<2x1xi64>, %u: tensor<2x2xf32>) -> tensor<3x2xf32> attributes {
    inputs = [dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>, dense<[[-1], [0]]> : tensor<2x1xi64>,
              dense<[[7.0, 8.0], [9.0, 10.0]]> : tensor<2x2xf32>],
    expected = [dense<[[9.0, 10.0], [3.0, 4.0], [7.0, 8.0]]> : tensor<3x2xf32>]} {
  %0 = nn.scatter_nd %x, %i, %u {reduction = "none"} : (tensor<3x2xf32>, tensor<2x1xi64>, tensor<2x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// Element (1, 0) gets 3 + 10 + 20; (0, 1) gets 2 + 30.
func.func @add(%x: tensor<2x2xi32>, %i: tensor<3x2xi64>, %u: tensor<3xi32>) -> tensor<2x2xi32> attributes {
    inputs = [dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>, dense<[[1, 0], [1, 0], [0, 1]]> : tensor<3x2xi64>,
              dense<[10, 20, 30]> : tensor<3xi32>],
    expected = [dense<[[1, 32], [33, 4]]> : tensor<2x2xi32>]} {
  %0 = nn.scatter_nd %x, %i, %u {reduction = "add"} : (tensor<2x2xi32>, tensor<3x2xi64>, tensor<3xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
