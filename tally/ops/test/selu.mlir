// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    inputs = [dense<[0.0, 2.0, 0xFF800000, 0x7FC00000]> : tensor<4xf32>],
    expected = [dense<[0.0, 4.0, -1.0, 0x7FC00000]> : tensor<4xf32>]} {
  %0 = nn.selu %x {alpha = 0.5 : f32, gamma = 2.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.0078125>

// -2: 2 * 0.5 * -0.63212 is -80.91 of 128; 1: 2 * 0.5 saturates.
func.func @codes(%x: tensor<2x!q>) -> tensor<2x!r> attributes {
    inputs = [dense<[-2, 1]> : tensor<2xi8>],
    expected = [dense<[-81, 127]> : tensor<2xi8>]} {
  %0 = nn.selu %x {alpha = 0.5 : f32, gamma = 2.0 : f32} : (tensor<2x!q>) -> tensor<2x!r>
  return %0 : tensor<2x!r>
}
