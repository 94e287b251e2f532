// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<5xf32>) -> tensor<5xf32> attributes {
    inputs = [dense<[0.0, 1.0, 0xFF800000, 0x7F800000, 0x7FC00000]> : tensor<5xf32>],
    expected = [dense<[1.0, 2.7182817459106445, 0.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>]} {
  %0 = nn.exp %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.125:-10>

// 2: e is 21.7 eighths; 0: 8; -4: e^-2 is 1.08; 20: e^10 saturates.
func.func @codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[2, 0, -4, 20]> : tensor<4xi8>],
    expected = [dense<[12, -2, -9, 127]> : tensor<4xi8>]} {
  %0 = nn.exp %x : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}
