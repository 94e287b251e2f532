// RUN: tally-check %s --executor=eval,cpu --numerics=onnxruntime
// RUN: not tally-check %s | FileCheck %s

!a = !quant.uniform<i8:f32, 0.1>
!b = !quant.uniform<i8:f32, 0.04>

// The mean of a whole image: the sum 2 times fl32(0.1 / fl32(0.04 * 2)) = 1.25
// is 2.5, to even; the exact mean of the fp32 scales is just above.
// CHECK: reduce_mean (eval): result 0: element 0 is 3, expected 2
func.func @reduce_mean(%x: tensor<1x1x2x!a>) -> tensor<1x1x1x!b> attributes {
    inputs = [dense<[[[0, 2]]]> : tensor<1x1x2xi8>],
    expected = [dense<[[[2]]]> : tensor<1x1x1xi8>]} {
  %0 = nn.reduce_mean %x {axes = array<i64: 2>} : (tensor<1x1x2x!a>) -> tensor<1x1x1x!b>
  return %0 : tensor<1x1x1x!b>
}

// A window that is the whole image is computed as that mean.
// CHECK: whole_image (eval): result 0: element 0 is 3, expected 2
func.func @whole_image(%x: tensor<1x1x2x!a>) -> tensor<1x1x1x!b> attributes {
    inputs = [dense<[[[0, 2]]]> : tensor<1x1x2xi8>],
    expected = [dense<[[[2]]]> : tensor<1x1x1xi8>]} {
  %0 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x2x!a>) -> tensor<1x1x1x!b>
  return %0 : tensor<1x1x1x!b>
}

// Windows: (0.1 + 0.1) / 2 / 0.04 is 2.5 in fp32; the zero point is added
// before the rounding, so that 3.5 gives 4.
!c = !quant.uniform<i8:f32, 0.04:1>
// CHECK: windows (eval): result 0: element 0 is 3, expected 2
func.func @windows(%x: tensor<1x1x3x!a>) -> tensor<1x1x2x!b> attributes {
    inputs = [dense<[[[1, 1, 1]]]> : tensor<1x1x3xi8>],
    expected = [dense<[[[2, 2]]]> : tensor<1x1x2xi8>]} {
  %0 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x3x!a>) -> tensor<1x1x2x!b>
  return %0 : tensor<1x1x2x!b>
}
func.func @zero_point_first(%x: tensor<1x1x3x!a>) -> tensor<1x1x2x!c> attributes {
    inputs = [dense<[[[1, 1, 1]]]> : tensor<1x1x3xi8>],
    expected = [dense<[[[4, 4]]]> : tensor<1x1x2xi8>]} {
  %0 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x3x!a>) -> tensor<1x1x2x!c>
  return %0 : tensor<1x1x2x!c>
}

// The last window reads one element and, since ceilMode lets it leave the
// padded input, one tap beyond. The divisor counts that tap where padding
// counts: 16 * 0.5 / 2 = 4, exactly 8.
!d = !quant.uniform<i8:f32, 0.5>
// CHECK: beyond_the_end (eval): result 0: element 1 is 16, expected 8
func.func @beyond_the_end(%x: tensor<1x1x3x!d>) -> tensor<1x1x2x!d> attributes {
    inputs = [dense<[[[2, 4, 16]]]> : tensor<1x1x3xi8>],
    expected = [dense<[[[3, 8]]]> : tensor<1x1x2xi8>]} {
  %0 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, ceilMode = true, countIncludePad = true} : (tensor<1x1x3x!d>) -> tensor<1x1x2x!d>
  return %0 : tensor<1x1x2x!d>
}

// A sum has no form of its own: 0.1 * 25 / 0.04 is just above 62.5.
func.func @sum(%x: tensor<2x!a>) -> tensor<1x!b> attributes {
    inputs = [dense<[12, 13]> : tensor<2xi8>],
    expected = [dense<[63]> : tensor<1xi8>]} {
  %0 = nn.reduce_sum %x {axes = array<i64: 0>} : (tensor<2x!a>) -> tensor<1x!b>
  return %0 : tensor<1x!b>
}
