// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    inputs = [dense<[0.0, -0.0, 0x7F800000, 1.0]> : tensor<4xf32>],
    expected = [dense<[0.0, -0.0, 0x7FC00000, 0.8414709568023682]> : tensor<4xf32>]} {
  %0 = nn.sin %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.0078125>

// 2: sin 1 = 0.84147 is 107.7 of 128; -3: sin -1.5 = -0.99749 is -127.68; 6: sin 3 is 18.06.
func.func @codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[2, -3, 0, 6]> : tensor<4xi8>],
    expected = [dense<[108, -128, 0, 18]> : tensor<4xi8>]} {
  %0 = nn.sin %x : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}
