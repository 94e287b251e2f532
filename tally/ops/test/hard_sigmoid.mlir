// RUN: tally-check %s --executor=eval,cpu

// 0.25 x + 0.5.
func.func @float(%x: tensor<5xf32>) -> tensor<5xf32> attributes {
    inputs = [dense<[-3.0, 1.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<5xf32>],
    expected = [dense<[0.0, 0.75, 0x7FC00000, 1.0, 0.0]> : tensor<5xf32>]} {
  %0 = nn.hard_sigmoid %x {alpha = 0.25 : f32, beta = 0.5 : f32} : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

!q = !quant.uniform<i8:f32, 0.5:1>
!r = !quant.uniform<u8:f32, 0.0625:8>

// Reals -2, 0, 1 and 9: 0, 1/2, 3/4 and 1 in sixteenths, plus 8.
func.func @codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[-3, 1, 3, 19]> : tensor<4xi8>],
    expected = [dense<[8, 16, 20, 24]> : tensor<4xui8>]} {
  %0 = nn.hard_sigmoid %x {alpha = 0.25 : f32, beta = 0.5 : f32} : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}

// A negative slope.
func.func @falling(%x: tensor<2x!q>) -> tensor<2x!r> attributes {
    inputs = [dense<[-3, 3]> : tensor<2xi8>],
    expected = [dense<[24, 12]> : tensor<2xui8>]} {
  %0 = nn.hard_sigmoid %x {alpha = -0.25 : f32, beta = 0.5 : f32} : (tensor<2x!q>) -> tensor<2x!r>
  return %0 : tensor<2x!r>
}
