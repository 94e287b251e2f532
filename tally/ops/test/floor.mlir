// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<6xf32>) -> tensor<6xf32> attributes {
    inputs = [dense<[-1.5, 1.5, -0.0, -0.25, 0x7FC00000, 0x7F800000]> : tensor<6xf32>],
    expected = [dense<[-2.0, 1.0, -0.0, -1.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>]} {
  %0 = nn.floor %x : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.5:1>
!wide = !quant.uniform<i8:f32, 4.0>

// Steps of 1/2: -3 is -1.5, floor -2, code -4 + 1.
func.func @codes(%x: tensor<3x!q>) -> tensor<3x!r> attributes {
    inputs = [dense<[-3, 3, 4]> : tensor<3xi8>],
    expected = [dense<[-3, 3, 5]> : tensor<3xi8>]} {
  %0 = nn.floor %x : (tensor<3x!q>) -> tensor<3x!r>
  return %0 : tensor<3x!r>
}

// floor(3.5) = 3 is 0.75 of a step: 1; floor(2.5) = 2 is a tie: 0.
func.func @off_grid(%x: tensor<2x!q>) -> tensor<2x!wide> attributes {
    inputs = [dense<[7, 5]> : tensor<2xi8>],
    expected = [dense<[1, 0]> : tensor<2xi8>]} {
  %0 = nn.floor %x : (tensor<2x!q>) -> tensor<2x!wide>
  return %0 : tensor<2x!wide>
}
