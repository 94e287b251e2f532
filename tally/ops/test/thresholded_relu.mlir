// RUN: tally-check %s --executor=eval,cpu

// NaN is above nothing.
func.func @float(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    inputs = [dense<[1.0, 1.5, -3.0, 0x7FC00000]> : tensor<4xf32>],
    expected = [dense<[0.0, 1.5, 0.0, 0.0]> : tensor<4xf32>]} {
  %0 = nn.thresholded_relu %x {alpha = 1.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

!q = !quant.uniform<i8:f32, 0.5:1>
!r = !quant.uniform<i8:f32, 0.25>

// Reals 1, 1.5 and -2; only 1.5 is above 1, at 6 quarters.
func.func @codes(%x: tensor<3x!q>) -> tensor<3x!r> attributes {
    inputs = [dense<[3, 4, -3]> : tensor<3xi8>],
    expected = [dense<[0, 6, 0]> : tensor<3xi8>]} {
  %0 = nn.thresholded_relu %x {alpha = 1.0 : f32} : (tensor<3x!q>) -> tensor<3x!r>
  return %0 : tensor<3x!r>
}
