// RUN: tally-check %s --executor=eval,cpu

// NaN stays NaN, -0 becomes +0.
func.func @float(%x: tensor<5xf32>) -> tensor<5xf32> attributes {
    inputs = [dense<[-1.5, -0.0, 0x7FC00000, 2.5, 0xFF800000]> : tensor<5xf32>],
    expected = [dense<[0.0, 0.0, 0x7FC00000, 2.5, 0.0]> : tensor<5xf32>]} {
  %0 = nn.relu %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// Plain integers are never dequantized.
func.func @integer(%x: tensor<5xi8>) -> tensor<5xi8> attributes {
    inputs = [dense<[-128, -127, -126, -10, 5]> : tensor<5xi8>],
    expected = [dense<[0, 0, 0, 0, 5]> : tensor<5xi8>]} {
  %0 = nn.relu %x : (tensor<5xi8>) -> tensor<5xi8>
  return %0 : tensor<5xi8>
}

// One grid: max(code, zero point 3).
!q = !quant.uniform<i8:f32, 0.05:3>
func.func @same_grid(%x: tensor<4x!q>) -> tensor<4x!q> attributes {
    inputs = [dense<[-128, 3, 4, 127]> : tensor<4xi8>],
    expected = [dense<[3, 3, 4, 127]> : tensor<4xi8>]} {
  %0 = nn.relu %x : (tensor<4x!q>) -> tensor<4x!q>
  return %0 : tensor<4x!q>
}
