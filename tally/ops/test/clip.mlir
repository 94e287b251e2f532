// RUN: tally-check %s --executor=eval,cpu

// NaN stays NaN; -0 equals the bound 0 and keeps its sign.
func.func @relu6(%x: tensor<6xf32>) -> tensor<6xf32> attributes {
    inputs = [dense<[-1.5, -0.0, 0x7FC00000, 2.5, 7.0, 0x7F800000]> : tensor<6xf32>],
    expected = [dense<[0.0, -0.0, 0x7FC00000, 2.5, 6.0, 6.0]> : tensor<6xf32>]} {
  %0 = nn.clip %x {low = 0.0 : f32, high = 6.0 : f32} : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// low > high: high everywhere.
func.func @wrong_order(%x: tensor<3xf32>) -> tensor<3xf32> attributes {
    inputs = [dense<[-1.5, 0.0, 9.0]> : tensor<3xf32>],
    expected = [dense<[1.0, 1.0, 1.0]> : tensor<3xf32>]} {
  %0 = nn.clip %x {low = 2.0 : f32, high = 1.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// No lower bound.
func.func @open(%x: tensor<2xf32>) -> tensor<2xf32> attributes {
    inputs = [dense<[0xFF800000, 3.0]> : tensor<2xf32>],
    expected = [dense<[0xFF800000, 2.0]> : tensor<2xf32>]} {
  %0 = nn.clip %x {low = 0xFF800000 : f32, high = 2.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @half(%x: tensor<2xf16>) -> tensor<2xf16> attributes {
    inputs = [dense<[-1.5, 3.0]> : tensor<2xf16>],
    expected = [dense<[-1.0, 1.0]> : tensor<2xf16>]} {
  %0 = nn.clip %x {low = -1.0 : f32, high = 1.0 : f32} : (tensor<2xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

!q = !quant.uniform<i8:f32, 0.05:3>
!r = !quant.uniform<u8:f32, 0.025>

// Bounds 0 and 6: codes 3 and 3 + 120 = 123.
func.func @same_grid(%x: tensor<4x!q>) -> tensor<4x!q> attributes {
    inputs = [dense<[-128, 3, 4, 124]> : tensor<4xi8>],
    expected = [dense<[3, 3, 4, 123]> : tensor<4xi8>]} {
  %0 = nn.clip %x {low = 0.0 : f32, high = 6.0 : f32} : (tensor<4x!q>) -> tensor<4x!q>
  return %0 : tensor<4x!q>
}

// (code - 3) * 2, between 0 and 1 / 0.025 = 40.
func.func @other_grid(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[-128, 4, 20, 30]> : tensor<4xi8>],
    expected = [dense<[0, 2, 34, 40]> : tensor<4xui8>]} {
  %0 = nn.clip %x {low = 0.0 : f32, high = 1.0 : f32} : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}

func.func @crossed_on_codes(%x: tensor<2x!q>) -> tensor<2x!q> attributes {
    inputs = [dense<[-128, 127]> : tensor<2xi8>],
    expected = [dense<[23, 23]> : tensor<2xi8>]} {
  %0 = nn.clip %x {low = 2.0 : f32, high = 1.0 : f32} : (tensor<2x!q>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}

// A clamp after a product's rounding is done on codes of the Quantize's grid:
// 2.0 * 1.7 = 3.4 is 68 steps of 0.05, code 71; the bound 3 is code 63.
!s = !quant.uniform<i8:f32, 0.1>
func.func @in_group(%x: tensor<2x!s>, %y: tensor<2x!s>) -> tensor<2x!q> attributes {
    inputs = [dense<[20, -20]> : tensor<2xi8>, dense<[17, 17]> : tensor<2xi8>],
    expected = [dense<[63, 3]> : tensor<2xi8>]} {
  %a = nn.dequantize %x : (tensor<2x!s>) -> tensor<2xf32>
  %b = nn.dequantize %y : (tensor<2x!s>) -> tensor<2xf32>
  %p = nn.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = nn.clip %p {low = 0.0 : f32, high = 3.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  %0 = nn.quantize %c : (tensor<2xf32>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}

// Twice the same value, once read as floats: the group is the same one.
func.func @in_group_two_readers(%x: tensor<2x!s>) -> (tensor<2x!q>, tensor<2xf32>) attributes {
    inputs = [dense<[20, -20]> : tensor<2xi8>],
    expected = [dense<[43, 3]> : tensor<2xi8>, dense<[2.0, 0.0]> : tensor<2xf32>]} {
  %a = nn.dequantize %x : (tensor<2x!s>) -> tensor<2xf32>
  %c = nn.clip %a {low = 0.0 : f32, high = 3.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  %0 = nn.quantize %c : (tensor<2xf32>) -> tensor<2x!q>
  return %0, %c : tensor<2x!q>, tensor<2xf32>
}
