// RUN: tally-check %s --executor=eval,cpu

// x clamp(x/6 + 1/2): -inf * 0 is NaN.
func.func @float(%x: tensor<6xf32>) -> tensor<6xf32> attributes {
    inputs = [dense<[-3.0, 3.0, 6.0, 0.0, 0xFF800000, 0x7F800000]> : tensor<6xf32>],
    expected = [dense<[-0.0, 3.0, 6.0, 0.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>]} {
  %0 = nn.hard_swish %x : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.125:-100>

// -3: -1.5 (-1.5/6 + 1/2) = -0.375, the minimum: -3 eighths.
// 2: 1 * 2/3 is 5.33 eighths; 6: 3; -7: 0.
func.func @codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[-3, 2, 6, -7]> : tensor<4xi8>],
    expected = [dense<[-103, -95, -76, -100]> : tensor<4xi8>]} {
  %0 = nn.hard_swish %x : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}
