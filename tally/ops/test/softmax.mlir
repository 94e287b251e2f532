// RUN: tally-check %s

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

// Halves are computed in fp32: 1 / 3 rounds to 0x3555 once.
func.func @half(%x: tensor<3xf16>) -> tensor<3xf16> attributes {
    inputs = [dense<[2.0, 2.0, 2.0]> : tensor<3xf16>],
    expected = [dense<[0x3555, 0x3555, 0x3555]> : tensor<3xf16>]} {
  %0 = nn.softmax %x {axis = 0 : i64} : (tensor<3xf16>) -> tensor<3xf16>
  return %0 : tensor<3xf16>
}

!x = !quant.uniform<i8:f32, 0.0625:5>
!share = !quant.uniform<u8:f32, 0.00390625:0>
!thirds = !quant.uniform<i8:f32, 1.0:-1>

// Two equal codes: 2^30 / 2^31 = 1/2 = 128 / 256. A code 200 steps of 1/16
// below: exp(-12.5) * 2^30 = 4001.5.. and 4e-6 is no code; 1 saturates at 255.
func.func @codes(%x: tensor<2x2x!x>) -> tensor<2x2x!share> attributes {
    inputs = [dense<[[7, 7], [100, -100]]> : tensor<2x2xi8>],
    expected = [dense<[[128, 128], [255, 0]]> : tensor<2x2xui8>]} {
  %0 = nn.integer_softmax %x {axis = 1 : i64} : (tensor<2x2x!x>) -> tensor<2x2x!share>
  return %0 : tensor<2x2x!share>
}

// A share of 1/2 on a grid of 1 is a tie, to 0, code -1.
func.func @tie(%x: tensor<2x!x>) -> tensor<2x!thirds> attributes {
    inputs = [dense<[7, 7]> : tensor<2xi8>],
    expected = [dense<[-1, -1]> : tensor<2xi8>]} {
  %0 = nn.integer_softmax %x {axis = 0 : i64} : (tensor<2x!x>) -> tensor<2x!thirds>
  return %0 : tensor<2x!thirds>
}
