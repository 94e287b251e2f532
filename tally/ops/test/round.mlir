// RUN: tally-check %s --executor=eval,cpu

// Ties to even; -0.5 gives -0.
func.func @float(%x: tensor<6xf32>) -> tensor<6xf32> attributes {
    inputs = [dense<[-1.5, 0.5, 2.5, -0.5, 0x7FC00000, 0x7F800000]> : tensor<6xf32>],
    expected = [dense<[-2.0, 0.0, 2.0, -0.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>]} {
  %0 = nn.round %x : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.5:1>
!wide = !quant.uniform<i8:f32, 4.0>

// Reals -1.5, 2.5 and 1: -2, 2 and 1 in halves, plus 1.
func.func @codes(%x: tensor<3x!q>) -> tensor<3x!r> attributes {
    inputs = [dense<[-3, 5, 2]> : tensor<3xi8>],
    expected = [dense<[-3, 5, 3]> : tensor<3xi8>]} {
  %0 = nn.round %x : (tensor<3x!q>) -> tensor<3x!r>
  return %0 : tensor<3x!r>
}

// 5.5 rounds to 6, which is a tie on the grid of fours: 6/4 = 1.5 to 2.
func.func @off_grid(%x: tensor<1x!q>) -> tensor<1x!wide> attributes {
    inputs = [dense<[11]> : tensor<1xi8>],
    expected = [dense<[2]> : tensor<1xi8>]} {
  %0 = nn.round %x : (tensor<1x!q>) -> tensor<1x!wide>
  return %0 : tensor<1x!wide>
}
