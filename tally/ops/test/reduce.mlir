// RUN: tally-check %s --executor=eval,cpu

// Rows 1 2 3 and 4 5 6: over the last axis, over both, over none.
func.func @sum(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<f32>, tensor<2x3xf32>) attributes {
    inputs = [dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>],
    expected = [dense<[[6.0], [15.0]]> : tensor<2x1xf32>, dense<21.0> : tensor<f32>,
                dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>]} {
  %0 = nn.reduce_sum %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %1 = nn.reduce_sum %x {axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x3xf32>) -> tensor<f32>
  %2 = nn.reduce_sum %x {axes = array<i64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x1xf32>, tensor<f32>, tensor<2x3xf32>
}

// A middle axis: columns of each of two matrices.
func.func @middle(%x: tensor<2x2x2xi32>) -> tensor<2x2xi32> attributes {
    inputs = [dense<[[[1, 2], [3, 4]], [[10, 20], [30, 40]]]> : tensor<2x2x2xi32>],
    expected = [dense<[[4, 6], [40, 60]]> : tensor<2x2xi32>]} {
  %0 = nn.reduce_sum %x {axes = array<i64: 1>, keepdims = false} : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// Ascending order would lose every 1 beside 2^24; the tree first gathers the
// lanes: see average_pool.mlir. 2^24 + 6, where the exact sum is 2^24 + 8.
func.func @pinned_order(%x: tensor<9xf32>) -> tensor<f32> attributes {
    inputs = [dense<[16777216.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<9xf32>],
    expected = [dense<16777222.0> : tensor<f32>]} {
  %0 = nn.reduce_sum %x {axes = array<i64: 0>, keepdims = false} : (tensor<9xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Float mean 7 / 2; integer mean truncates: 7 / 2 = 3, -7 / 2 = -3.
func.func @mean(%x: tensor<2xf32>, %i: tensor<2x2xi32>) -> (tensor<1xf32>, tensor<2x1xi32>) attributes {
    inputs = [dense<[3.0, 4.0]> : tensor<2xf32>, dense<[[3, 4], [-3, -4]]> : tensor<2x2xi32>],
    expected = [dense<[3.5]> : tensor<1xf32>, dense<[[3], [-3]]> : tensor<2x1xi32>]} {
  %0 = nn.reduce_mean %x {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<1xf32>
  %1 = nn.reduce_mean %i {axes = array<i64: 1>} : (tensor<2x2xi32>) -> tensor<2x1xi32>
  return %0, %1 : tensor<1xf32>, tensor<2x1xi32>
}

// NaN wins in either; of zeros -0 is the smaller.
func.func @extremes(%x: tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3xf32>) attributes {
    inputs = [dense<[[1.0, -2.0], [0x7FC00000, 5.0], [0.0, -0.0]]> : tensor<3x2xf32>],
    expected = [dense<[1.0, 0x7FC00000, 0.0]> : tensor<3xf32>, dense<[-2.0, 0x7FC00000, -0.0]> : tensor<3xf32>]} {
  %0 = nn.reduce_max %x {axes = array<i64: 1>, keepdims = false} : (tensor<3x2xf32>) -> tensor<3xf32>
  %1 = nn.reduce_min %x {axes = array<i64: 1>, keepdims = false} : (tensor<3x2xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// 3, -4: product -12, |.| sum 7, squares 25, root 5.
func.func @norms(%x: tensor<2xf32>, %i: tensor<2xi8>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i8>, tensor<i8>) attributes {
    inputs = [dense<[3.0, -4.0]> : tensor<2xf32>, dense<[100, -2]> : tensor<2xi8>],
    expected = [dense<-12.0> : tensor<f32>, dense<7.0> : tensor<f32>, dense<25.0> : tensor<f32>, dense<5.0> : tensor<f32>,
                dense<56> : tensor<i8>, dense<102> : tensor<i8>]} {
  %0 = nn.reduce_prod %x {axes = array<i64: 0>, keepdims = false} : (tensor<2xf32>) -> tensor<f32>
  %1 = nn.reduce_l1 %x {axes = array<i64: 0>, keepdims = false} : (tensor<2xf32>) -> tensor<f32>
  %2 = nn.reduce_sum_square %x {axes = array<i64: 0>, keepdims = false} : (tensor<2xf32>) -> tensor<f32>
  %3 = nn.reduce_l2 %x {axes = array<i64: 0>, keepdims = false} : (tensor<2xf32>) -> tensor<f32>
  // Integers wrap: -200 + 256 = 56.
  %4 = nn.reduce_prod %i {axes = array<i64: 0>, keepdims = false} : (tensor<2xi8>) -> tensor<i8>
  %5 = nn.reduce_l1 %i {axes = array<i64: 0>, keepdims = false} : (tensor<2xi8>) -> tensor<i8>
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i8>, tensor<i8>
}

// log(0.25 + 0.75) = 0. Of 1000 and 1000 the shift keeps exp at 1:
// log(2) + 1000, which rounds to 1000.69317 (spacing 2^-14). -inf alone gives
// log(0) = -inf.
func.func @logarithms(%x: tensor<2xf32>, %y: tensor<2xf32>, %z: tensor<1xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) attributes {
    inputs = [dense<[0.25, 0.75]> : tensor<2xf32>, dense<[1000.0, 1000.0]> : tensor<2xf32>, dense<[0xFF800000]> : tensor<1xf32>],
    expected = [dense<0.0> : tensor<f32>, dense<1000.69317> : tensor<f32>, dense<0xFF800000> : tensor<f32>]} {
  %0 = nn.reduce_log_sum %x {axes = array<i64: 0>, keepdims = false} : (tensor<2xf32>) -> tensor<f32>
  %1 = nn.reduce_log_sum_exp %y {axes = array<i64: 0>, keepdims = false} : (tensor<2xf32>) -> tensor<f32>
  %2 = nn.reduce_log_sum_exp %z {axes = array<i64: 0>, keepdims = false} : (tensor<1xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

!q = !quant.uniform<u8:f32, 0.5:10>
!r = !quant.uniform<i8:f32, 1.0:1>

// Steps 1, 2, 4 of 0.5: the sum 3.5 is a tie and rounds to 4, code 5; the
// mean 7/6 rounds to 1, code 2; the largest 2, code 3; the smallest 0.5, a
// tie, to 0, code 1.
func.func @codes(%x: tensor<3x!q>) -> (tensor<1x!r>, tensor<1x!r>, tensor<1x!r>, tensor<1x!r>) attributes {
    inputs = [dense<[11, 12, 14]> : tensor<3xui8>],
    expected = [dense<[5]> : tensor<1xi8>, dense<[2]> : tensor<1xi8>, dense<[3]> : tensor<1xi8>, dense<[1]> : tensor<1xi8>]} {
  %0 = nn.reduce_sum %x {axes = array<i64: 0>} : (tensor<3x!q>) -> tensor<1x!r>
  %1 = nn.reduce_mean %x {axes = array<i64: 0>} : (tensor<3x!q>) -> tensor<1x!r>
  %2 = nn.reduce_max %x {axes = array<i64: 0>} : (tensor<3x!q>) -> tensor<1x!r>
  %3 = nn.reduce_min %x {axes = array<i64: 0>} : (tensor<3x!q>) -> tensor<1x!r>
  return %0, %1, %2, %3 : tensor<1x!r>, tensor<1x!r>, tensor<1x!r>, tensor<1x!r>
}

// A global average pool between Quantize and Dequantize is the exact mean:
// (1 + 2) * 0.5 / 2 = 0.75, code 2.
func.func @group(%x: tensor<1x1x2x!q>) -> tensor<1x1x1x!r> attributes {
    inputs = [dense<[[[11, 12]]]> : tensor<1x1x2xui8>],
    expected = [dense<[[[2]]]> : tensor<1x1x1xi8>]} {
  %0 = nn.dequantize %x : (tensor<1x1x2x!q>) -> tensor<1x1x2xf32>
  %1 = nn.reduce_mean %0 {axes = array<i64: 2>} : (tensor<1x1x2xf32>) -> tensor<1x1x1xf32>
  %2 = nn.quantize %1 : (tensor<1x1x1xf32>) -> tensor<1x1x1x!r>
  return %2 : tensor<1x1x1x!r>
}

// Unsigned 64-bit integers beyond 2^63 are larger than all below.
func.func @unsigned(%x: tensor<3xui64>) -> (tensor<1xui64>, tensor<1xui64>, tensor<1xui64>) attributes {
    inputs = [dense<[1, 9223372036854775810, 5]> : tensor<3xui64>],
    expected = [dense<[9223372036854775810]> : tensor<1xui64>, dense<[1]> : tensor<1xui64>, dense<[9223372036854775816]> : tensor<1xui64>]} {
  %0 = nn.reduce_max %x {axes = array<i64: 0>} : (tensor<3xui64>) -> tensor<1xui64>
  %1 = nn.reduce_min %x {axes = array<i64: 0>} : (tensor<3xui64>) -> tensor<1xui64>
  %2 = nn.reduce_l1 %x {axes = array<i64: 0>} : (tensor<3xui64>) -> tensor<1xui64>
  return %0, %1, %2 : tensor<1xui64>, tensor<1xui64>, tensor<1xui64>
}
