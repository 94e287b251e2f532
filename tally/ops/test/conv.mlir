// RUN: tally-check %s --executor=eval,cpu

// 1x3x3 input, 2x2 kernel of ones, stride 1: sums of 2x2 windows, plus bias.
//   0 1 2
//   3 4 5   ->  0+1+3+4=8, 12; 20, 24; bias 0.5
//   6 7 8
func.func @float(%x: tensor<1x1x3x3xf32>, %w: tensor<1x1x2x2xf32>,
                 %b: tensor<1xf32>) -> tensor<1x1x2x2xf32> attributes {
    inputs = [dense<[[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]]]> : tensor<1x1x3x3xf32>,
              dense<1.0> : tensor<1x1x2x2xf32>, dense<0.5> : tensor<1xf32>],
    expected = [dense<[[[[8.5, 12.5], [20.5, 24.5]]]]> : tensor<1x1x2x2xf32>]} {
  %0 = nn.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, group = 1 : i64}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>, tensor<1xf32>) -> tensor<1x1x2x2xf32>
  return %0 : tensor<1x1x2x2xf32>
}

!x = !quant.uniform<i8:f32, 0.5:-3>
!w = !quant.uniform<i8:f32:0, {0.25, 0.5}>
!b = !quant.uniform<i32:f32:0, {0.125, 0.25}>
!y = !quant.uniform<i8:f32, 1.0:5>

// Padding is real 0, the code -3: padded taps add nothing. Input steps are
// code + 3 = 1, 2, 3; kernel ones (codes 1), pad 1 on both ends.
//   sums: 0+1+2=3, 1+2+3=6, 2+3+0=5
//   channel 0: (3 + 2) * 0.125 = 0.625 -> 1; (6+2)/8 = 1; (5+2)/8 = 0.875 -> 1
//   channel 1: (3 + 1) * 0.25 = 1; 7/4 = 1.75 -> 2; 6/4 = 1.5 -> 2 (tie, even)
//   plus the zero point 5
func.func @quantized(%x: tensor<1x1x3x!x>) -> tensor<1x2x3x!y> attributes {
    inputs = [dense<[[[-2, -1, 0]]]> : tensor<1x1x3xi8>],
    expected = [dense<[[[6, 6, 6], [6, 7, 7]]]> : tensor<1x2x3xi8>]} {
  %w = nn.constant dense<1> : tensor<2x1x3xi8> : tensor<2x1x3x!w>
  %b = nn.constant dense<[2, 1]> : tensor<2xi32> : tensor<2x!b>
  %0 = nn.conv %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 1, 1>,
      dilations = array<i64: 1>, group = 1 : i64}
      : (tensor<1x1x3x!x>, tensor<2x1x3x!w>, tensor<2x!b>) -> tensor<1x2x3x!y>
  return %0 : tensor<1x2x3x!y>
}

!odd = !quant.uniform<i32:f32, 0.3>

// A bias scale that is not input x weight is a real addend:
// 1 * 0.125 + 3 * 0.3 = 1.025 -> 1; 12 * 0.125 + 0.9 = 2.4 -> 2.
func.func @real_bias(%x: tensor<1x1x2x!x>) -> tensor<1x1x2x!y> attributes {
    inputs = [dense<[[[-2, 9]]]> : tensor<1x1x2xi8>],
    expected = [dense<[[[6, 7]]]> : tensor<1x1x2xi8>]} {
  %w = nn.constant dense<1> : tensor<1x1x1xi8> : tensor<1x1x1x!quant.uniform<i8:f32, 0.25>>
  %b = nn.constant dense<3> : tensor<1xi32> : tensor<1x!odd>
  %0 = nn.conv %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>,
      dilations = array<i64: 1>, group = 1 : i64}
      : (tensor<1x1x2x!x>, tensor<1x1x1x!quant.uniform<i8:f32, 0.25>>, tensor<1x!odd>) -> tensor<1x1x2x!y>
  return %0 : tensor<1x1x2x!y>
}

// Depthwise (group = channels), dilation 2, stride 2, asymmetric pads.
//   input rows: channel 0: 1 2 3 4, channel 1: 5 6 7 8 (codes; zero point 0)
//   kernel taps at 0 and 2: weights (1, 1) and (1, -1); pad one at the begin
//   positions -1, 1: channel 0: 0+2=2, 2+4=6; channel 1: 0-6=-6, 6-8=-2
!unit = !quant.uniform<i8:f32, 1.0>
func.func @depthwise(%x: tensor<1x2x4x!unit>) -> tensor<1x2x2x!unit> attributes {
    inputs = [dense<[[[1, 2, 3, 4], [5, 6, 7, 8]]]> : tensor<1x2x4xi8>],
    expected = [dense<[[[2, 6], [-6, -2]]]> : tensor<1x2x2xi8>]} {
  %w = nn.constant dense<[[[1, 1]], [[1, -1]]]> : tensor<2x1x2xi8> : tensor<2x1x2x!unit>
  %0 = nn.conv %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 0>,
      dilations = array<i64: 2>, group = 2 : i64}
      : (tensor<1x2x4x!unit>, tensor<2x1x2x!unit>) -> tensor<1x2x2x!unit>
  return %0 : tensor<1x2x2x!unit>
}
