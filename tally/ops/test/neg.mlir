// RUN: tally-check %s --executor=eval,cpu

// The sign bit flips.
func.func @float(%x: tensor<3xf32>) -> tensor<3xf32> attributes {
    inputs = [dense<[-1.5, 0.0, 0x7F800000]> : tensor<3xf32>],
    expected = [dense<[1.5, -0.0, 0xFF800000]> : tensor<3xf32>]} {
  %0 = nn.neg %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// INT_MIN wraps.
func.func @integer(%x: tensor<3xi8>) -> tensor<3xi8> attributes {
    inputs = [dense<[-128, -1, 5]> : tensor<3xi8>],
    expected = [dense<[-128, 1, -5]> : tensor<3xi8>]} {
  %0 = nn.neg %x : (tensor<3xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

!q = !quant.uniform<i8:f32, 0.05:3>
!u = !quant.uniform<u8:f32, 0.5:255>
!v = !quant.uniform<u8:f32, 0.5>

// 6 - code, saturated: -128 gives 134.
func.func @same_grid(%x: tensor<4x!q>) -> tensor<4x!q> attributes {
    inputs = [dense<[-128, 3, 4, 127]> : tensor<4xi8>],
    expected = [dense<[127, 3, 2, -121]> : tensor<4xi8>]} {
  %0 = nn.neg %x : (tensor<4x!q>) -> tensor<4x!q>
  return %0 : tensor<4x!q>
}

// Zero points 255 and 0: 255 - code, no saturation.
func.func @mirrored(%x: tensor<3x!u>) -> tensor<3x!v> attributes {
    inputs = [dense<[0, 1, 255]> : tensor<3xui8>],
    expected = [dense<[255, 254, 0]> : tensor<3xui8>]} {
  %0 = nn.neg %x : (tensor<3x!u>) -> tensor<3x!v>
  return %0 : tensor<3x!v>
}
