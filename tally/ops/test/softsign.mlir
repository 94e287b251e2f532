// RUN: tally-check %s --executor=eval,cpu

// inf / inf is NaN.
func.func @float(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    inputs = [dense<[1.0, -3.0, -0.0, 0x7F800000]> : tensor<4xf32>],
    expected = [dense<[0.5, -0.75, -0.0, 0x7FC00000]> : tensor<4xf32>]} {
  %0 = nn.softsign %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.0625>

// 2: 1/2 is 8 sixteenths; -1: -1/3 is -5.33; 6: 3/4.
func.func @codes(%x: tensor<3x!q>) -> tensor<3x!r> attributes {
    inputs = [dense<[2, -1, 6]> : tensor<3xi8>],
    expected = [dense<[8, -5, 12]> : tensor<3xi8>]} {
  %0 = nn.softsign %x : (tensor<3x!q>) -> tensor<3x!r>
  return %0 : tensor<3x!r>
}
