// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<3xf32>) -> tensor<3xf32> attributes {
    inputs = [dense<[0.0, 0x7F800000, 1.0]> : tensor<3xf32>],
    expected = [dense<[1.0, 0x7FC00000, 0.5403023362159729]> : tensor<3xf32>]} {
  %0 = nn.cos %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.0078125>
!two = !quant.uniform<i8:f32, 2.0>

// 2: cos 1 = 0.5403 is 69.16 of 128; 6: cos 3 = -0.98999 is -126.7; 0: 128 saturates.
func.func @codes(%x: tensor<3x!q>) -> tensor<3x!r> attributes {
    inputs = [dense<[2, 6, 0]> : tensor<3xi8>],
    expected = [dense<[69, -127, 127]> : tensor<3xi8>]} {
  %0 = nn.cos %x : (tensor<3x!q>) -> tensor<3x!r>
  return %0 : tensor<3x!r>
}

// cos 0 = 1 is half of 2: to even, 0.
func.func @exact_tie(%x: tensor<1x!q>) -> tensor<1x!two> attributes {
    inputs = [dense<[0]> : tensor<1xi8>],
    expected = [dense<[0]> : tensor<1xi8>]} {
  %0 = nn.cos %x : (tensor<1x!q>) -> tensor<1x!two>
  return %0 : tensor<1x!two>
}
