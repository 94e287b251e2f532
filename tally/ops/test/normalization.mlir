// RUN: tally-check %s --executor=eval,cpu

// Row 1 3: mean 2, distances -1 and 1, v / n = 1; with epsilon 3 the inverse
// is 1 / sqrt(4) = 0.5. Scale 2 4, bias 10 20: -0.5 * 2 + 10, 0.5 * 4 + 20.
func.func @layer(%x: tensor<1x2xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<1x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>) attributes {
    inputs = [dense<[[1.0, 3.0]]> : tensor<1x2xf32>, dense<[2.0, 4.0]> : tensor<2xf32>, dense<[10.0, 20.0]> : tensor<2xf32>],
    expected = [dense<[[9.0, 22.0]]> : tensor<1x2xf32>, dense<[[2.0]]> : tensor<1x1xf32>, dense<[[0.5]]> : tensor<1x1xf32>]} {
  %0, %1, %2 = nn.layer_normalization %x, %s, %b {axis = 1 : i64, epsilon = 3.0 : f32} : (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>)
  return %0, %1, %2 : tensor<1x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>
}

// Row 1 7: squares 1 + 49 = 50, / 2 = 25, root 5; 1 / 5 is rounded first, to
// 0.2 + 3.0e-9, so 7 * fl(0.2) = 1.40000002, nearest fp32 0x3FB33333.
func.func @rms(%x: tensor<2xf32>, %s: tensor<1xf32>) -> tensor<2xf32> attributes {
    inputs = [dense<[1.0, 7.0]> : tensor<2xf32>, dense<[1.0]> : tensor<1xf32>],
    expected = [dense<[0x3E4CCCCD, 0x3FB33333]> : tensor<2xf32>]} {
  %0 = nn.rms_normalization %x, %s {axis = 0 : i64, epsilon = 0.0 : f32} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Channel 0: (x - 1) * (2 / sqrt(4)) + 10, channel 1: (x + 1) * (8 / sqrt(16)).
func.func @batch(%x: tensor<1x2x2xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<1x2x2xf32> attributes {
    inputs = [dense<[[[3.0, 5.0], [0.0, -1.0]]]> : tensor<1x2x2xf32>, dense<[2.0, 8.0]> : tensor<2xf32>, dense<[10.0, 0.0]> : tensor<2xf32>,
              dense<[1.0, -1.0]> : tensor<2xf32>, dense<[3.0, 15.0]> : tensor<2xf32>],
    expected = [dense<[[[12.0, 14.0], [2.0, 0.0]]]> : tensor<1x2x2xf32>]} {
  %0 = nn.batch_normalization %x, %s, %b, %m, %v {epsilon = 1.0 : f32} : (tensor<1x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
}

// Each channel by itself: 1 3 as in @layer, 10 10 has no distance: the bias.
func.func @instance(%x: tensor<1x2x2xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<1x2x2xf32> attributes {
    inputs = [dense<[[[1.0, 3.0], [10.0, 10.0]]]> : tensor<1x2x2xf32>, dense<[2.0, 4.0]> : tensor<2xf32>, dense<[0.0, 7.0]> : tensor<2xf32>],
    expected = [dense<[[[-1.0, 1.0], [7.0, 7.0]]]> : tensor<1x2x2xf32>]} {
  %0 = nn.instance_normalization %x, %s, %b {epsilon = 3.0 : f32} : (tensor<1x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
}

// Channels 0 and 1 form one group with 1 3; scale per channel, then per group.
func.func @groups(%x: tensor<1x4x1xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>, %gs: tensor<2xf32>) -> (tensor<1x4x1xf32>, tensor<1x4x1xf32>) attributes {
    inputs = [dense<[[[1.0], [3.0], [5.0], [5.0]]]> : tensor<1x4x1xf32>, dense<[2.0, 4.0, 1.0, 1.0]> : tensor<4xf32>,
              dense<[0.0, 0.0, 7.0, 8.0]> : tensor<4xf32>, dense<[6.0, 7.0]> : tensor<2xf32>],
    expected = [dense<[[[-1.0], [2.0], [7.0], [8.0]]]> : tensor<1x4x1xf32>, dense<[[[3.0], [9.0], [7.0], [7.0]]]> : tensor<1x4x1xf32>]} {
  %0 = nn.group_normalization %x, %s, %b {numGroups = 2 : i64, epsilon = 3.0 : f32} : (tensor<1x4x1xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x1xf32>
  %1 = nn.group_normalization %x, %gs, %gs {numGroups = 2 : i64, epsilon = 3.0 : f32} : (tensor<1x4x1xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x4x1xf32>
  return %0, %1 : tensor<1x4x1xf32>, tensor<1x4x1xf32>
}

// 3 -4: |.| sum 7, root of squares 5; a zero line stays zero.
func.func @lp(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) attributes {
    inputs = [dense<[[3.0, -4.0], [0.0, 0.0]]> : tensor<2x2xf32>],
    expected = [dense<[[0x3EDB6DB7, 0xBF124925], [0.0, 0.0]]> : tensor<2x2xf32>, dense<[[0x3F19999A, 0xBF4CCCCD], [0.0, 0.0]]> : tensor<2x2xf32>]} {
  %0 = nn.lp_normalization %x {axis = 1 : i64, p = 1 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.lp_normalization %x {axis = 1 : i64, p = 2 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}

// Size 3, alpha 3, bias 1, beta 1: channel 0: 1 + 1 + 4 = 6, channel 1: 1 + 1
// + 4 + 9 = 15, channel 2: 1 + 4 + 9 = 14.
func.func @lrn(%x: tensor<1x3x1xf32>) -> tensor<1x3x1xf32> attributes {
    inputs = [dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>],
    expected = [dense<[[[0x3E2AAAAB], [0x3E088889], [0x3E5B6DB7]]]> : tensor<1x3x1xf32>]} {
  %0 = nn.lrn %x {size = 3 : i64, alpha = 3.0 : f32, beta = 1.0 : f32, bias = 1.0 : f32} : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
