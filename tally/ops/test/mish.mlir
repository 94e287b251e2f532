// RUN: tally-check %s --executor=eval,cpu

// -inf * 0 is NaN.
func.func @float(%x: tensor<3xf32>) -> tensor<3xf32> attributes {
    inputs = [dense<[0.0, 0x7F800000, 0xFF800000]> : tensor<3xf32>],
    expected = [dense<[0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>]} {
  %0 = nn.mish %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.015625>

// 2: tanh(1.31326) = 0.86510 is 55.37 of 64; -2: -tanh(0.31326) = -0.30340 is -19.42; 0: 0.
func.func @codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[2, -2, 0, -128]> : tensor<4xi8>],
    expected = [dense<[55, -19, 0, 0]> : tensor<4xi8>]} {
  %0 = nn.mish %x : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}
