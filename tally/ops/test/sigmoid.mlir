// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    inputs = [dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>],
    expected = [dense<[0.5, 1.0, 0.0, 0x7FC00000]> : tensor<4xf32>]} {
  %0 = nn.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

!q = !quant.uniform<i8:f32, 0.5:3>
!r = !quant.uniform<u8:f32, 0.00390625>
!one = !quant.uniform<i8:f32, 1.0:7>

// 3: 1/2 is 128 of 256; 5: 0.73106 is 187.15; 1: 68.85; 127: 1 saturates.
func.func @codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[3, 5, 1, 127]> : tensor<4xi8>],
    expected = [dense<[128, 187, 69, 255]> : tensor<4xui8>]} {
  %0 = nn.sigmoid %x : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}

// 1/2 on a grid of ones rounds to even, 0, and then 7 is added.
func.func @exact_tie(%x: tensor<2x!q>) -> tensor<2x!one> attributes {
    inputs = [dense<[3, 4]> : tensor<2xi8>],
    expected = [dense<[7, 8]> : tensor<2xi8>]} {
  %0 = nn.sigmoid %x : (tensor<2x!q>) -> tensor<2x!one>
  return %0 : tensor<2x!one>
}
