// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<5xf32>) -> tensor<5xf32> attributes {
    inputs = [dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 100.0]> : tensor<5xf32>],
    expected = [dense<[0.6931471824645996, 0x7F800000, 0.0, 0x7FC00000, 100.0]> : tensor<5xf32>]} {
  %0 = nn.softplus %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.125>

// 0: log 2 is 5.55 eighths; 2: log(1 + e) = 1.31326 is 10.5061; -2: 0.31326 is 2.51.
func.func @codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[0, 2, -2, -128]> : tensor<4xi8>],
    expected = [dense<[6, 11, 3, 0]> : tensor<4xi8>]} {
  %0 = nn.softplus %x : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}
