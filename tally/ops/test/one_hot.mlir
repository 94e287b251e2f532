// RUN: tally-check %s --executor=eval,cpu

// Depth 3: index 1, index -1 = 2, and 3, which is outside.
func.func @last_axis(%i: tensor<3xi64>, %v: tensor<2xf32>) -> tensor<3x3xf32> attributes {
    inputs = [dense<[1, -1, 3]> : tensor<3xi64>, dense<[0.0, 1.0]> : tensor<2xf32>],
    expected = [dense<[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>]} {
  %0 = nn.one_hot %i, %v {depth = 3 : i64, axis = 1 : i64} : (tensor<3xi64>, tensor<2xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// The new dimension in front, values 5 (off) and 7; index 1.9 is 1, -2.5 is -2
// = 0, NaN and 2.0 are outside.
func.func @first_axis(%i: tensor<4xf32>, %v: tensor<2xi8>) -> tensor<2x4xi8> attributes {
    inputs = [dense<[1.9, -2.5, 0x7FC00000, 2.0]> : tensor<4xf32>, dense<[5, 7]> : tensor<2xi8>],
    expected = [dense<[[5, 7, 5, 5], [7, 5, 5, 5]]> : tensor<2x4xi8>]} {
  %0 = nn.one_hot %i, %v {depth = 2 : i64, axis = 0 : i64} : (tensor<4xf32>, tensor<2xi8>) -> tensor<2x4xi8>
  return %0 : tensor<2x4xi8>
}
