// RUN: tally-check %s --executor=eval,cpu

// Doubling 2 elements by linear interpolation at coordinates -0.25, 0.25,
// 0.75, 1.25. A weight of 2^23 = 8388608 is 1, 6291456 is 3/4, 2097152 is 1/4:
//   1;  3/4 * 1 + 1/4 * 5 = 2;  1/4 * 1 + 3/4 * 5 = 4;  5
func.func @double(%x: tensor<1x2xf32>) -> tensor<1x4xf32> attributes {
    inputs = [dense<[[1.0, 5.0]]> : tensor<1x2xf32>],
    expected = [dense<[[1.0, 2.0, 4.0, 5.0]]> : tensor<1x4xf32>]} {
  %0 = nn.resize %x {axes = array<i64: 1>, sizes = array<i64: 4>,
      sources = [array<i64: 0, 0, 0, 1, 0, 1, 1, 1>],
      weights = [array<i64: 2097152, 6291456, 6291456, 2097152, 2097152, 6291456, 6291456, 2097152>]}
      : (tensor<1x2xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// Two axes of a 2x2 image become its mean; the axes take one pass each.
func.func @mean(%x: tensor<2x2xf32>) -> tensor<1x1xf32> attributes {
    inputs = [dense<[[1.0, 2.0], [3.0, 6.0]]> : tensor<2x2xf32>],
    expected = [dense<[[3.0]]> : tensor<1x1xf32>]} {
  %0 = nn.resize %x {axes = array<i64: 0, 1>, sizes = array<i64: 1, 1>,
      sources = [array<i64: 0, 1>, array<i64: 0, 1>],
      weights = [array<i64: 4194304, 4194304>, array<i64: 4194304, 4194304>]}
      : (tensor<2x2xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// A tap of weight 0 takes no part, whatever it reads: no 0 * infinity.
func.func @weight_zero(%x: tensor<2xf32>) -> tensor<1xf32> attributes {
    inputs = [dense<[0x7F800000, 2.0]> : tensor<2xf32>], expected = [dense<[2.0]> : tensor<1xf32>]} {
  %0 = nn.resize %x {axes = array<i64: 0>, sizes = array<i64: 1>, sources = [array<i64: 0, 1>],
      weights = [array<i64: 0, 8388608>]} : (tensor<2xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// Exact sums of integers, one rounding half to even: (1 + 2) / 2 = 1.5 -> 2,
// (2 + 3) / 2 = 2.5 -> 2; -128 and -127 give -127.5 -> -128.
func.func @integers(%x: tensor<3x2xi8>) -> tensor<3x1xi8> attributes {
    inputs = [dense<[[1, 2], [2, 3], [-128, -127]]> : tensor<3x2xi8>],
    expected = [dense<[[2], [2], [-128]]> : tensor<3x1xi8>]} {
  %0 = nn.resize %x {axes = array<i64: 1>, sizes = array<i64: 1>, sources = [array<i64: 0, 1>],
      weights = [array<i64: 4194304, 4194304>]} : (tensor<3x2xi8>) -> tensor<3x1xi8>
  return %0 : tensor<3x1xi8>
}

// Codes on other grids: reals (3 - 1) * 0.5 = 1 and (6 - 1) * 0.5 = 2.5 have
// the mean 1.75; on scale 0.5 that is 3.5 -> 4, plus zero point -3 is 1.
!x = !quant.uniform<u8:f32, 0.5:1>
!y = !quant.uniform<i8:f32, 0.5:-3>
func.func @grids(%x: tensor<2x!x>) -> tensor<1x!y> attributes {
    inputs = [dense<[3, 6]> : tensor<2xui8>], expected = [dense<[1]> : tensor<1xi8>]} {
  %0 = nn.dequantize %x : (tensor<2x!x>) -> tensor<2xf32>
  %1 = nn.resize %0 {axes = array<i64: 0>, sizes = array<i64: 1>, sources = [array<i64: 0, 1>],
      weights = [array<i64: 4194304, 4194304>]} : (tensor<2xf32>) -> tensor<1xf32>
  %2 = nn.quantize %1 : (tensor<1xf32>) -> tensor<1x!y>
  return %2 : tensor<1x!y>
}

// One rounding: the mean of codes 1, 1, 0, 1 is 3/4 -> 1. Rounded after the
// first axis it would be the mean of 0 (1/2, to even) and 1, that is 0.
// Then a weight 2^-23 above 1/2 decides: 1 * (1/2 + 2^-23) -> 1.
!z = !quant.uniform<i8:f32, 0.1>
func.func @one_rounding(%x: tensor<2x2x!z>, %t: tensor<2x!z>) -> (tensor<1x1x!z>, tensor<1x!z>) attributes {
    inputs = [dense<[[1, 1], [0, 1]]> : tensor<2x2xi8>, dense<[1, 0]> : tensor<2xi8>],
    expected = [dense<[[1]]> : tensor<1x1xi8>, dense<[1]> : tensor<1xi8>]} {
  %0 = nn.resize %x {axes = array<i64: 0, 1>, sizes = array<i64: 1, 1>,
      sources = [array<i64: 0, 1>, array<i64: 0, 1>],
      weights = [array<i64: 4194304, 4194304>, array<i64: 4194304, 4194304>]}
      : (tensor<2x2x!z>) -> tensor<1x1x!z>
  %1 = nn.resize %t {axes = array<i64: 0>, sizes = array<i64: 1>, sources = [array<i64: 0, 1>],
      weights = [array<i64: 4194305, 4194303>]} : (tensor<2x!z>) -> tensor<1x!z>
  return %0, %1 : tensor<1x1x!z>, tensor<1x!z>
}
