// RUN: tally-check %s --executor=eval,cpu

// Two channels of 2x2, one window each: of the equal 7s in channel 0 the first
// (position 1); channel 1 starts at 4 and has its largest at 4 + 2. Column by
// column, position 1 (row 0, column 1) is 2, and row 1, column 0 is 1.
func.func @orders(%x: tensor<1x2x2x2xf32>) -> (tensor<1x2x1x1xi64>, tensor<1x2x1x1xi64>) attributes {
    inputs = [dense<[[[[1.0, 7.0], [7.0, 3.0]], [[1.0, 2.0], [9.0, 3.0]]]]> : tensor<1x2x2x2xf32>],
    expected = [dense<[[[[1]], [[6]]]]> : tensor<1x2x1x1xi64>, dense<[[[[2]], [[5]]]]> : tensor<1x2x1x1xi64>]} {
  %0 = nn.max_pool_indices %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xi64>
  %1 = nn.max_pool_indices %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, columnMajor = true} : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xi64>
  return %0, %1 : tensor<1x2x1x1xi64>, tensor<1x2x1x1xi64>
}

// -0 gives way to +0, a number to the first NaN; nothing gives -1.
func.func @special(%z: tensor<1x1x2xf32>, %n: tensor<1x1x3xf32>) -> (tensor<1x1x1xi64>, tensor<1x1x1xi64>, tensor<1x1x1xi64>) attributes {
    inputs = [dense<[[[-0.0, 0.0]]]> : tensor<1x1x2xf32>, dense<[[[5.0, 0x7FC00000, 0x7FC00000]]]> : tensor<1x1x3xf32>],
    expected = [dense<[[[1]]]> : tensor<1x1x1xi64>, dense<[[[1]]]> : tensor<1x1x1xi64>, dense<[[[-1]]]> : tensor<1x1x1xi64>]} {
  %0 = nn.max_pool_indices %z {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x2xf32>) -> tensor<1x1x1xi64>
  %1 = nn.max_pool_indices %n {kernel = array<i64: 3>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x3xf32>) -> tensor<1x1x1xi64>
  %2 = nn.max_pool_indices %z {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 3>} : (tensor<1x1x2xf32>) -> tensor<1x1x1xi64>
  return %0, %1, %2 : tensor<1x1x1xi64>, tensor<1x1x1xi64>, tensor<1x1x1xi64>
}
