// RUN: tally-check %s --executor=eval,cpu

// Pairs name elements of x[r, c] = 10r + c: (0, 0), (1, -1).
func.func @elements(%x: tensor<2x2xi32>, %i: tensor<2x2xi64>) -> tensor<2xi32> attributes {
    inputs = [dense<[[0, 1], [10, 11]]> : tensor<2x2xi32>, dense<[[0, 0], [1, -1]]> : tensor<2x2xi64>],
    expected = [dense<[0, 11]> : tensor<2xi32>]} {
  %0 = nn.gather_nd %x, %i {batchDims = 0 : i64} : (tensor<2x2xi32>, tensor<2x2xi64>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// One batch dimension: row 1 of batch 0, row 0 of batch 1.
func.func @batches(%x: tensor<2x2x3xf32>, %i: tensor<2x1xi64>) -> tensor<2x3xf32> attributes {
    inputs = [dense<[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [[6.0, 7.0, 8.0], [9.0, 10.0, 11.0]]]> : tensor<2x2x3xf32>,
              dense<[[1], [0]]> : tensor<2x1xi64>],
    expected = [dense<[[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]> : tensor<2x3xf32>]} {
  %0 = nn.gather_nd %x, %i {batchDims = 1 : i64} : (tensor<2x2x3xf32>, tensor<2x1xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
