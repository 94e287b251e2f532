// RUN: tally-check %s --executor=eval,cpu

// x = [1 2], w = [10 20 30], stride 2: 1 * w at 0, 2 * w at 2 gives
// [10 20 30+20 40 60]; a pad of 1 at each end cuts to [20 50 40].
func.func @float(%x: tensor<1x1x2xf32>, %w: tensor<1x1x3xf32>) -> (tensor<1x1x5xf32>, tensor<1x1x3xf32>) attributes {
    inputs = [dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>, dense<[[[10.0, 20.0, 30.0]]]> : tensor<1x1x3xf32>],
    expected = [dense<[[[10.0, 20.0, 50.0, 40.0, 60.0]]]> : tensor<1x1x5xf32>,
                dense<[[[20.0, 50.0, 40.0]]]> : tensor<1x1x3xf32>]} {
  %0 = nn.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x3xf32>) -> tensor<1x1x5xf32>
  %1 = nn.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  return %0, %1 : tensor<1x1x5xf32>, tensor<1x1x3xf32>
}

// Kernel [1 10] with dilation 2 at stride 1: [1 2 10 20], an output padding of
// 1 adds an element that nothing reaches: only the bias 0.5.
func.func @dilated(%x: tensor<1x1x2xf32>, %w: tensor<1x1x2xf32>, %b: tensor<1xf32>) -> tensor<1x1x5xf32> attributes {
    inputs = [dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>, dense<[[[1.0, 10.0]]]> : tensor<1x1x2xf32>, dense<[0.5]> : tensor<1xf32>],
    expected = [dense<[[[1.5, 2.5, 10.5, 20.5, 0.5]]]> : tensor<1x1x5xf32>]} {
  %0 = nn.conv_transpose %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 2>, outputPadding = array<i64: 1>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1xf32>) -> tensor<1x1x5xf32>
  return %0 : tensor<1x1x5xf32>
}

// Two groups: group 0 turns channel 0 into outputs 0 and 1, group 1 channel 1
// into 2 and 3: 2 * (1, 3) and 5 * (7, 9).
func.func @groups(%x: tensor<1x2x1xf32>, %w: tensor<2x2x1xf32>) -> tensor<1x4x1xf32> attributes {
    inputs = [dense<[[[2.0], [5.0]]]> : tensor<1x2x1xf32>, dense<[[[1.0], [3.0]], [[7.0], [9.0]]]> : tensor<2x2x1xf32>],
    expected = [dense<[[[2.0], [6.0], [35.0], [45.0]]]> : tensor<1x4x1xf32>]} {
  %0 = nn.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, group = 2 : i64} : (tensor<1x2x1xf32>, tensor<2x2x1xf32>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

!x = !quant.uniform<u8:f32, 0.5:1>
!w = !quant.uniform<i8:f32:1, {1.0:0, 0.25:0}>
!y = !quant.uniform<i8:f32, 1.0:0>

// Per axis 1: entry m serves channel m of every group. Real inputs 1 and 2:
// 1 * (3, 3 * 0.25) and 2 * (5, 5 * 0.25) = 3, 0.75, 10, 2.5 (a tie, to 2).
func.func @codes(%x: tensor<1x2x1x!x>) -> tensor<1x4x1x!y> attributes {
    inputs = [dense<[[[3], [5]]]> : tensor<1x2x1xui8>],
    expected = [dense<[[[3], [1], [10], [2]]]> : tensor<1x4x1xi8>]} {
  %w = nn.constant dense<[[[3], [3]], [[5], [5]]]> : tensor<2x2x1xi8> : tensor<2x2x1x!w>
  %0 = nn.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, group = 2 : i64} : (tensor<1x2x1x!x>, tensor<2x2x1x!w>) -> tensor<1x4x1x!y>
  return %0 : tensor<1x4x1x!y>
}
