// RUN: tally-check %s --executor=eval,cpu

// Padding is real 0, the code 3: steps -1, 2 | taps 1, -1 of two channels.
// Channel 0 (zero point 0): [0 - (-1), -1 - 2, 2 - 0] = [1, -3, 2].
// Channel 1 (zero point 1, steps 0, -2): 0 * l - 2 * r = [2, -4, 0].
func.func @zero_points(%x: tensor<1x1x2xui8>, %w: tensor<2x1x2xi8>, %zx: tensor<ui8>, %zw: tensor<2xi8>) -> tensor<1x2x3xi32> attributes {
    inputs = [dense<[[[2, 5]]]> : tensor<1x1x2xui8>, dense<[[[1, -1]], [[1, -1]]]> : tensor<2x1x2xi8>, dense<3> : tensor<ui8>, dense<[0, 1]> : tensor<2xi8>],
    expected = [dense<[[[1, -3, 2], [2, -4, 0]]]> : tensor<1x2x3xi32>]} {
  %0 = nn.conv_integer %x, %w, %zx, %zw {operandSegmentSizes = array<i32: 1, 1, 1, 1>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, group = 1 : i64} : (tensor<1x1x2xui8>, tensor<2x1x2xi8>, tensor<ui8>, tensor<2xi8>) -> tensor<1x2x3xi32>
  return %0 : tensor<1x2x3xi32>
}

// Two groups of one channel, no zero points, stride 2: 7 * 2 and 9 * 3.
func.func @groups(%x: tensor<1x2x2xui8>, %w: tensor<2x1x1xui8>) -> tensor<1x2x1xi32> attributes {
    inputs = [dense<[[[7, 1], [9, 1]]]> : tensor<1x2x2xui8>, dense<[[[2]], [[3]]]> : tensor<2x1x1xui8>],
    expected = [dense<[[[14], [27]]]> : tensor<1x2x1xi32>]} {
  %0 = nn.conv_integer %x, %w {operandSegmentSizes = array<i32: 1, 1, 0, 0>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, group = 2 : i64} : (tensor<1x2x2xui8>, tensor<2x1x1xui8>) -> tensor<1x2x1xi32>
  return %0 : tensor<1x2x1xi32>
}
