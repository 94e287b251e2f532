// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<3xf32>) -> tensor<3xf32> attributes {
    inputs = [dense<[0.0, 0x7F800000, 0xFF800000]> : tensor<3xf32>],
    expected = [dense<[0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>]} {
  %0 = nn.swish %x {alpha = 1.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.015625>

// 2: 0.73106 is 46.79 of 64; -2: -0.26894 is -17.2; alpha scales only the sigmoid's argument.
func.func @codes(%x: tensor<3x!q>) -> tensor<3x!r> attributes {
    inputs = [dense<[2, -2, 0]> : tensor<3xi8>],
    expected = [dense<[47, -17, 0]> : tensor<3xi8>]} {
  %0 = nn.swish %x {alpha = 1.0 : f32} : (tensor<3x!q>) -> tensor<3x!r>
  return %0 : tensor<3x!r>
}

// 1 sigmoid(2) = 0.88080 is 56.37.
func.func @alpha(%x: tensor<1x!q>) -> tensor<1x!r> attributes {
    inputs = [dense<[2]> : tensor<1xi8>],
    expected = [dense<[56]> : tensor<1xi8>]} {
  %0 = nn.swish %x {alpha = 2.0 : f32} : (tensor<1x!q>) -> tensor<1x!r>
  return %0 : tensor<1x!r>
}
