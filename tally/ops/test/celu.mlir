// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    inputs = [dense<[-0.0, 2.0, 0xFF800000, 0x7FC00000]> : tensor<4xf32>],
    expected = [dense<[-0.0, 2.0, -0.5, 0x7FC00000]> : tensor<4xf32>]} {
  %0 = nn.celu %x {alpha = 0.5 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.0078125>

// -1: 0.5 (e^-1 - 1) is -40.46 of 128 (Elu of the same alpha: -25.2).
func.func @codes(%x: tensor<2x!q>) -> tensor<2x!r> attributes {
    inputs = [dense<[-1, 1]> : tensor<2xi8>],
    expected = [dense<[-40, 64]> : tensor<2xi8>]} {
  %0 = nn.celu %x {alpha = 0.5 : f32} : (tensor<2x!q>) -> tensor<2x!r>
  return %0 : tensor<2x!r>
}
