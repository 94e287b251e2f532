// RUN: tally-check %s --executor=eval,cpu

// Only the sign bit changes; NaN stays NaN.
func.func @float(%x: tensor<5xf32>) -> tensor<5xf32> attributes {
    inputs = [dense<[-1.5, -0.0, 0x7FC00000, 2.5, 0xFF800000]> : tensor<5xf32>],
    expected = [dense<[1.5, 0.0, 0x7FC00000, 2.5, 0x7F800000]> : tensor<5xf32>]} {
  %0 = nn.abs %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @double(%x: tensor<2xf64>) -> tensor<2xf64> attributes {
    inputs = [dense<[-1.5, 3.0]> : tensor<2xf64>],
    expected = [dense<[1.5, 3.0]> : tensor<2xf64>]} {
  %0 = nn.abs %x : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

func.func @half(%x: tensor<2xf16>) -> tensor<2xf16> attributes {
    inputs = [dense<[-1.5, 3.0]> : tensor<2xf16>],
    expected = [dense<[1.5, 3.0]> : tensor<2xf16>]} {
  %0 = nn.abs %x : (tensor<2xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// Plain integers are never dequantized; 128 wraps to -128.
func.func @integer(%x: tensor<4xi8>) -> tensor<4xi8> attributes {
    inputs = [dense<[-128, -127, 0, 5]> : tensor<4xi8>],
    expected = [dense<[-128, 127, 0, 5]> : tensor<4xi8>]} {
  %0 = nn.abs %x : (tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// The largest uint64 is no negative number.
func.func @unsigned(%x: tensor<2xui64>) -> tensor<2xui64> attributes {
    inputs = [dense<[18446744073709551615, 7]> : tensor<2xui64>],
    expected = [dense<[18446744073709551615, 7]> : tensor<2xui64>]} {
  %0 = nn.abs %x : (tensor<2xui64>) -> tensor<2xui64>
  return %0 : tensor<2xui64>
}

!q = !quant.uniform<i8:f32, 0.05:3>
!r = !quant.uniform<i8:f32, 0.0078125>

// Real 0.05 * (code - 3) over 1/128: times 6.4.
// -128: 6.55 * 128 = 838 saturates; 3: 0; 4: 6.4; 10: 44.8; -2: 32.
func.func @scaled(%x: tensor<5x!q>) -> tensor<5x!r> attributes {
    inputs = [dense<[-128, 3, 4, 10, -2]> : tensor<5xi8>],
    expected = [dense<[127, 0, 6, 45, 32]> : tensor<5xi8>]} {
  %0 = nn.abs %x : (tensor<5x!q>) -> tensor<5x!r>
  return %0 : tensor<5x!r>
}

// |code - 3| + 3, which no longer wraps: -128 is 131 steps, 134 saturates.
func.func @same_grid(%x: tensor<3x!q>) -> tensor<3x!q> attributes {
    inputs = [dense<[-128, 3, -4]> : tensor<3xi8>],
    expected = [dense<[127, 3, 10]> : tensor<3xi8>]} {
  %0 = nn.abs %x : (tensor<3x!q>) -> tensor<3x!q>
  return %0 : tensor<3x!q>
}
