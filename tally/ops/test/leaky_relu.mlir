// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    inputs = [dense<[-2.0, -0.0, 0x7FC00000, 3.0]> : tensor<4xf32>],
    expected = [dense<[-0.5, -0.0, 0x7FC00000, 3.0]> : tensor<4xf32>]} {
  %0 = nn.leaky_relu %x {alpha = 0.25 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

!q = !quant.uniform<i8:f32, 0.5:1>
!r = !quant.uniform<i8:f32, 0.25>

// Real 0.5 * (code - 1), negative ones times 0.25, over 0.25:
// -3: -2 * 0.25 / 0.25 = -2; 0: -0.5 rounds to even, 0; -2: -1.5 to -2; 5: 8.
func.func @codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[-3, 0, -2, 5]> : tensor<4xi8>],
    expected = [dense<[-2, 0, -2, 8]> : tensor<4xi8>]} {
  %0 = nn.leaky_relu %x {alpha = 0.25 : f32} : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}

// A slope below zero makes it no monotone function.
func.func @negative_alpha(%x: tensor<2x!q>) -> tensor<2x!r> attributes {
    inputs = [dense<[-3, 5]> : tensor<2xi8>],
    expected = [dense<[8, 8]> : tensor<2xi8>]} {
  %0 = nn.leaky_relu %x {alpha = -1.0 : f32} : (tensor<2x!q>) -> tensor<2x!r>
  return %0 : tensor<2x!r>
}
