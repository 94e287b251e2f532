// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    inputs = [dense<[1.0, 0.0, -1.0, 0x7F800000]> : tensor<4xf32>],
    expected = [dense<[0.0, 0xFF800000, 0x7FC00000, 0x7F800000]> : tensor<4xf32>]} {
  %0 = nn.log %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

!q = !quant.uniform<i8:f32, 0.5:1>
!r = !quant.uniform<i8:f32, 0.125:-10>

// 3: log 1 = 0; 5: log 2 is 5.55 eighths; 2: -5.55; at and below zero the lowest.
func.func @codes(%x: tensor<5x!q>) -> tensor<5x!r> attributes {
    inputs = [dense<[3, 5, 2, 1, -7]> : tensor<5xi8>],
    expected = [dense<[-10, -4, -16, -128, -128]> : tensor<5xi8>]} {
  %0 = nn.log %x : (tensor<5x!q>) -> tensor<5x!r>
  return %0 : tensor<5x!r>
}
