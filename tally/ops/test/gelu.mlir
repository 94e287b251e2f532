// RUN: tally-check %s --executor=eval,cpu

// -inf * 0 is NaN.
func.func @erf(%x: tensor<3xf32>) -> tensor<3xf32> attributes {
    inputs = [dense<[0.0, 0x7F800000, 0xFF800000]> : tensor<3xf32>],
    expected = [dense<[0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>]} {
  %0 = nn.gelu %x {tanh = false} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @tanh(%x: tensor<3xf32>) -> tensor<3xf32> attributes {
    inputs = [dense<[0.0, 0x7F800000, 0xFF800000]> : tensor<3xf32>],
    expected = [dense<[0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>]} {
  %0 = nn.gelu %x {tanh = true} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.00390625>

// -4: -2 * 0.0227501 = -0.0455003 is -11.648 of 256; -1: -0.154269 is -39.49.
func.func @erf_codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[-4, -1, 0, 1]> : tensor<4xi8>],
    expected = [dense<[-12, -39, 0, 89]> : tensor<4xi8>]} {
  %0 = nn.gelu %x {tanh = false} : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}

// The other form: -4: -0.0454023 is -11.623; -6: -0.0036373 is -0.931 (erf: -0.0040497, -1.037).
func.func @tanh_codes(%x: tensor<2x!q>) -> tensor<2x!r> attributes {
    inputs = [dense<[-4, -6]> : tensor<2xi8>],
    expected = [dense<[-12, -1]> : tensor<2xi8>]} {
  %0 = nn.gelu %x {tanh = true} : (tensor<2x!q>) -> tensor<2x!r>
  return %0 : tensor<2x!r>
}

!fine = !quant.uniform<i8:f32, 0.0001220703125>

// -6: -3 * 0.0013499 = -0.0040497 is -33.175 of 8192.
func.func @forms_differ_erf(%x: tensor<1x!q>) -> tensor<1x!fine> attributes {
    inputs = [dense<[-6]> : tensor<1xi8>],
    expected = [dense<[-33]> : tensor<1xi8>]} {
  %0 = nn.gelu %x {tanh = false} : (tensor<1x!q>) -> tensor<1x!fine>
  return %0 : tensor<1x!fine>
}

// -0.0036373 is -29.797 of 8192.
func.func @forms_differ_tanh(%x: tensor<1x!q>) -> tensor<1x!fine> attributes {
    inputs = [dense<[-6]> : tensor<1xi8>],
    expected = [dense<[-30]> : tensor<1xi8>]} {
  %0 = nn.gelu %x {tanh = true} : (tensor<1x!q>) -> tensor<1x!fine>
  return %0 : tensor<1x!fine>
}
