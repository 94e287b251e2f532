// RUN: tally-check %s --executor=eval,cpu

// -0 stays, -inf gives -alpha.
func.func @float(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    inputs = [dense<[-0.0, 2.0, 0xFF800000, 0x7FC00000]> : tensor<4xf32>],
    expected = [dense<[-0.0, 2.0, -0.5, 0x7FC00000]> : tensor<4xf32>]} {
  %0 = nn.elu %x {alpha = 0.5 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.0078125>

// -2: e^-1 - 1 = -0.63212 halved is -40.46 of 128; 1: 64.
func.func @codes(%x: tensor<3x!q>) -> tensor<3x!r> attributes {
    inputs = [dense<[-2, 1, -128]> : tensor<3xi8>],
    expected = [dense<[-40, 64, -64]> : tensor<3xi8>]} {
  %0 = nn.elu %x {alpha = 0.5 : f32} : (tensor<3x!q>) -> tensor<3x!r>
  return %0 : tensor<3x!r>
}
