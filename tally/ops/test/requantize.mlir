// RUN: tally-check %s --executor=eval,cpu

!from = !quant.uniform<i8:f32, 0.5:0>
!to = !quant.uniform<i8:f32, 1.0:1>

// 0.5, 1.5, 2.5, -0.5 are ties on the result's grid: RHE gives 0, 2, 2, -0;
// then the zero point 1. 127 * 0.5 = 63.5 -> 64 -> 65.
func.func @ties(%x: tensor<5x!from>) -> tensor<5x!to> attributes {
    inputs = [dense<[1, 3, 5, -1, 127]> : tensor<5xi8>],
    expected = [dense<[1, 3, 3, 1, 65]> : tensor<5xi8>]} {
  %0 = nn.requantize %x : (tensor<5x!from>) -> tensor<5x!to>
  return %0 : tensor<5x!to>
}

!wide = !quant.uniform<i8:f32, 4.0:0>
!fine = !quant.uniform<u8:f32, 0.25:128>

// 4 * 7 = 28 = 112 steps of 0.25: 240; 4 * 8 = 32 = 128 steps: 256 saturates.
func.func @saturates(%x: tensor<3x!wide>) -> tensor<3x!fine> attributes {
    inputs = [dense<[7, 8, -9]> : tensor<3xi8>],
    expected = [dense<[240, 255, 0]> : tensor<3xui8>]} {
  %0 = nn.requantize %x : (tensor<3x!wide>) -> tensor<3x!fine>
  return %0 : tensor<3x!fine>
}
