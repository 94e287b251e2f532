// RUN: tally-check %s --executor=eval,cpu

// -0.25 gives -0.
func.func @float(%x: tensor<6xf32>) -> tensor<6xf32> attributes {
    inputs = [dense<[-1.5, 1.5, -0.0, -0.25, 0x7FC00000, 0x7F800000]> : tensor<6xf32>],
    expected = [dense<[-1.0, 2.0, -0.0, -0.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>]} {
  %0 = nn.ceil %x : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.5:1>

// -3 is -1.5, ceil -1, code -2 + 1.
func.func @codes(%x: tensor<3x!q>) -> tensor<3x!r> attributes {
    inputs = [dense<[-3, 3, 4]> : tensor<3xi8>],
    expected = [dense<[-1, 5, 5]> : tensor<3xi8>]} {
  %0 = nn.ceil %x : (tensor<3x!q>) -> tensor<3x!r>
  return %0 : tensor<3x!r>
}
