// RUN: tally-check %s --executor=eval,cpu

// Windows of 2 at stride 2 over 1 5 | 3 2 | 4: floor drops the last element,
// ceilMode keeps a window of it alone.
func.func @floor(%x: tensor<1x1x5xf32>) -> tensor<1x1x2xf32> attributes {
    inputs = [dense<[[[1.0, 5.0, 3.0, 2.0, 4.0]]]> : tensor<1x1x5xf32>],
    expected = [dense<[[[5.0, 3.0]]]> : tensor<1x1x2xf32>]} {
  %0 = nn.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x5xf32>) -> tensor<1x1x2xf32>
  return %0 : tensor<1x1x2xf32>
}

func.func @ceil(%x: tensor<1x1x5xf32>) -> tensor<1x1x3xf32> attributes {
    inputs = [dense<[[[1.0, 5.0, 3.0, 2.0, 4.0]]]> : tensor<1x1x5xf32>],
    expected = [dense<[[[5.0, 3.0, 4.0]]]> : tensor<1x1x3xf32>]} {
  %0 = nn.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, ceilMode = true} : (tensor<1x1x5xf32>) -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

// With padEnd 1 the span is 5 + 1 - 2 = 4 = 2 strides: three windows, the last
// one 4 and padding. Under ceilMode at stride 3: ceil(4 / 3) + 1 = 3 windows,
// the third would start at 6 >= 5 and is dropped.
func.func @starts_in_padding(%x: tensor<1x1x5xf32>) -> tensor<1x1x2xf32> attributes {
    inputs = [dense<[[[1.0, 5.0, 3.0, 2.0, 4.0]]]> : tensor<1x1x5xf32>],
    expected = [dense<[[[5.0, 4.0]]]> : tensor<1x1x2xf32>]} {
  %0 = nn.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 3>, pads = array<i64: 0, 1>, dilations = array<i64: 1>, ceilMode = true} : (tensor<1x1x5xf32>) -> tensor<1x1x2xf32>
  return %0 : tensor<1x1x2xf32>
}

// Negative elements beside padding: the padding never wins. NaN does; -0 is
// less than +0.
func.func @padding(%x: tensor<1x1x4xf32>) -> tensor<1x1x3xf32> attributes {
    inputs = [dense<[[[-2.0, -3.0, 0x7FC00000, 1.0]]]> : tensor<1x1x4xf32>],
    expected = [dense<[[[-2.0, 0x7FC00000, 1.0]]]> : tensor<1x1x3xf32>]} {
  %0 = nn.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>} : (tensor<1x1x4xf32>) -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

func.func @zeros(%x: tensor<1x1x2xf32>) -> tensor<1x1x1xf32> attributes {
    inputs = [dense<[[[-0.0, 0.0]]]> : tensor<1x1x2xf32>],
    expected = [dense<[[[0.0]]]> : tensor<1x1x1xf32>]} {
  %0 = nn.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x2xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// A dilated window with taps at -1 and 2 of two elements holds nothing.
func.func @nothing(%x: tensor<1x1x2xf32>) -> tensor<1x1x1xf32> attributes {
    inputs = [dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>],
    expected = [dense<[[[0xFF800000]]]> : tensor<1x1x1xf32>]} {
  %0 = nn.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 3>} : (tensor<1x1x2xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// Plain integers, two dimensions.
func.func @integers(%x: tensor<1x1x2x3xi8>) -> tensor<1x1x1x2xi8> attributes {
    inputs = [dense<[[[[-128, 7, -5], [-9, -100, 3]]]]> : tensor<1x1x2x3xi8>],
    expected = [dense<[[[[7, 7]]]]> : tensor<1x1x1x2xi8>]} {
  %0 = nn.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x1x2x3xi8>) -> tensor<1x1x1x2xi8>
  return %0 : tensor<1x1x1x2xi8>
}

!q = !quant.uniform<i8:f32, 0.5:3>
!r = !quant.uniform<i8:f32, 1.0:-1>

// One grid: the code itself. Another: (8 - 3) * 0.5 = 2.5 is a tie and rounds
// to 2, code 1; (-4 - 3) * 0.5 = -3.5 rounds to -4, code -5.
func.func @codes(%x: tensor<1x1x4x!q>) -> (tensor<1x1x2x!q>, tensor<1x1x2x!r>) attributes {
    inputs = [dense<[[[8, -128, -4, -5]]]> : tensor<1x1x4xi8>],
    expected = [dense<[[[8, -4]]]> : tensor<1x1x2xi8>,
                dense<[[[1, -5]]]> : tensor<1x1x2xi8>]} {
  %0 = nn.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x4x!q>) -> tensor<1x1x2x!q>
  %1 = nn.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x4x!q>) -> tensor<1x1x2x!r>
  return %0, %1 : tensor<1x1x2x!q>, tensor<1x1x2x!r>
}

// Unsigned 64-bit integers beyond 2^63 are larger than all below.
func.func @unsigned(%x: tensor<1x1x3xui64>) -> tensor<1x1x2xui64> attributes {
    inputs = [dense<[[[3, 9223372036854775808, 2]]]> : tensor<1x1x3xui64>],
    expected = [dense<[[[9223372036854775808, 9223372036854775808]]]> : tensor<1x1x2xui64>]} {
  %0 = nn.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x3xui64>) -> tensor<1x1x2xui64>
  return %0 : tensor<1x1x2xui64>
}
