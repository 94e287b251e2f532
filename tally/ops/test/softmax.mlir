// RUN: tally-check %s --executor=eval,cpu

// Equal elements share: exp(0) = 1, 1 / 2. Along axis 0 of 2x1, and of single
// elements: 1.
func.func @equal(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) attributes {
    inputs = [dense<[[1000.0], [1000.0]]> : tensor<2x1xf32>],
    expected = [dense<[[0.5], [0.5]]> : tensor<2x1xf32>, dense<[[1.0], [1.0]]> : tensor<2x1xf32>]} {
  %0 = nn.softmax %x {axis = 0 : i64} : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %1 = nn.softmax %x {axis = 1 : i64} : (tensor<2x1xf32>) -> tensor<2x1xf32>
  return %0, %1 : tensor<2x1xf32>, tensor<2x1xf32>
}

// exp(-200) is below the smallest fp32: the rest is 1 and 0, and the logarithm
// keeps -200 - log(1).
func.func @far(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {
    inputs = [dense<[100.0, -100.0]> : tensor<2xf32>],
    expected = [dense<[1.0, 0.0]> : tensor<2xf32>, dense<[0.0, -200.0]> : tensor<2xf32>]} {
  %0 = nn.softmax %x {axis = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = nn.log_softmax %x {axis = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// One NaN makes its line NaN, and no other.
func.func @nan(%x: tensor<2x2xf32>) -> tensor<2x2xf32> attributes {
    inputs = [dense<[[0x7FC00000, 1.0], [3.0, 3.0]]> : tensor<2x2xf32>],
    expected = [dense<[[0x7FC00000, 0x7FC00000], [0.5, 0.5]]> : tensor<2x2xf32>]} {
  %0 = nn.softmax %x {axis = 1 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
