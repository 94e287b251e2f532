// RUN: tally-check %s --executor=eval,cpu

// y[i, j] = x[i, index[i, j]], one column fewer than the data has.
func.func @rows(%x: tensor<2x3xi32>, %i: tensor<2x2xi64>) -> tensor<2x2xi32> attributes {
    inputs = [dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>, dense<[[2, -3], [0, 5]]> : tensor<2x2xi64>],
    expected = [dense<[[3, 1], [4, 6]]> : tensor<2x2xi32>]} {
  %0 = nn.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x3xi32>, tensor<2x2xi64>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// y[i, j] = x[index[i, j], j], with fewer columns than the data.
func.func @columns(%x: tensor<3x3xf32>, %i: tensor<2x2xi32>) -> tensor<2x2xf32> attributes {
    inputs = [dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>,
              dense<[[1, 2], [2, 0]]> : tensor<2x2xi32>],
    expected = [dense<[[4.0, 8.0], [7.0, 2.0]]> : tensor<2x2xf32>]} {
  %0 = nn.gather_elements %x, %i {axis = 0 : i64} : (tensor<3x3xf32>, tensor<2x2xi32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
