// RUN: tally-check %s --executor=eval,cpu

// Window 3, pads 1: (1 + 2) over 2 elements, or over 3 when padding counts;
// then (1 + 2 + 6) / 3, and (2 + 6) over 2 or 3.
func.func @padding(%x: tensor<1x1x3xf32>) -> (tensor<1x1x3xf32>, tensor<1x1x3xf32>) attributes {
    inputs = [dense<[[[1.0, 2.0, 6.0]]]> : tensor<1x1x3xf32>],
    expected = [dense<[[[1.5, 3.0, 4.0]]]> : tensor<1x1x3xf32>,
                dense<[[[1.0, 3.0, 0x402AAAAB]]]> : tensor<1x1x3xf32>]} {
  %0 = nn.average_pool %x {kernel = array<i64: 3>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>} : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  %1 = nn.average_pool %x {kernel = array<i64: 3>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, countIncludePad = true} : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  return %0, %1 : tensor<1x1x3xf32>, tensor<1x1x3xf32>
}

// ceilMode adds a window of 4 and one tap beyond the padding, which does not
// count: 4 / 1 even with countIncludePad.
func.func @ceil(%x: tensor<1x1x3xf32>) -> tensor<1x1x2xf32> attributes {
    inputs = [dense<[[[1.0, 2.0, 4.0]]]> : tensor<1x1x3xf32>],
    expected = [dense<[[[1.5, 4.0]]]> : tensor<1x1x2xf32>]} {
  %0 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, ceilMode = true, countIncludePad = true} : (tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  return %0 : tensor<1x1x2xf32>
}

// The pinned order: taps 0, 8 and 4, 12 meet before the rest, so in a window
// of 9 the partial sums are 2^24, 1, ..., 1 (lane 0 to 8). The tree's first
// step adds lane 8: 2^24 + 1 = 2^24 (a tie, to even). Lane 4: + 1, again
// 2^24. Lanes 2 + 6 = 2: 2^24 + 2. Lanes 1 + 5 + 3 + 7 = 4: 2^24 + 6. One
// division by 9: 16777222 / 9 = 1864135.77..., nearest fp32 1864135.75.
// (The exact mean of 2^24 + 8 would be 1864136.)
func.func @pinned_order(%x: tensor<1x1x9xf32>) -> tensor<1x1x1xf32> attributes {
    inputs = [dense<[[[16777216.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]]> : tensor<1x1x9xf32>],
    expected = [dense<[[[1864135.75]]]> : tensor<1x1x1xf32>]} {
  %0 = nn.average_pool %x {kernel = array<i64: 9>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x9xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// Taps 0 and 2.
func.func @dilated(%x: tensor<1x1x3xf32>) -> tensor<1x1x1xf32> attributes {
    inputs = [dense<[[[1.0, 100.0, 4.0]]]> : tensor<1x1x3xf32>],
    expected = [dense<[[[2.5]]]> : tensor<1x1x1xf32>]} {
  %0 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 2>} : (tensor<1x1x3xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

!q = !quant.uniform<u8:f32, 1.0:10>
!r = !quant.uniform<i8:f32, 0.5:-2>

// Reals 1, 2, 4: (1 + 2) / 2 = 1.5 is a tie, to 2, code 12; 6 / 2 = 3, code
// 13. On the finer grid: 1.5 / 0.5 = 3, code 1; 3 / 0.5 = 6, code 4.
func.func @codes(%x: tensor<1x1x3x!q>) -> (tensor<1x1x2x!q>, tensor<1x1x2x!r>) attributes {
    inputs = [dense<[[[11, 12, 14]]]> : tensor<1x1x3xui8>],
    expected = [dense<[[[12, 13]]]> : tensor<1x1x2xui8>,
                dense<[[[1, 4]]]> : tensor<1x1x2xi8>]} {
  %0 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x3x!q>) -> tensor<1x1x2x!q>
  %1 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x3x!q>) -> tensor<1x1x2x!r>
  return %0, %1 : tensor<1x1x2x!q>, tensor<1x1x2x!r>
}

// Padding is real 0: with countIncludePad (0 + 1) / 2 = 0.5 rounds to 0.
func.func @padded_codes(%x: tensor<1x1x1x!q>) -> tensor<1x1x2x!q> attributes {
    inputs = [dense<[[[11]]]> : tensor<1x1x1xui8>],
    expected = [dense<[[[10, 10]]]> : tensor<1x1x2xui8>]} {
  %0 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, countIncludePad = true} : (tensor<1x1x1x!q>) -> tensor<1x1x2x!q>
  return %0 : tensor<1x1x2x!q>
}
