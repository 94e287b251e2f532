// RUN: tally-check %s --executor=eval,cpu

// One row in front, one column behind, -1 in the new places.
func.func @value(%x: tensor<1x2xf32>, %v: tensor<f32>) -> tensor<2x3xf32> attributes {
    inputs = [dense<[[1.0, 2.0]]> : tensor<1x2xf32>, dense<-1.0> : tensor<f32>],
    expected = [dense<[[-1.0, -1.0, -1.0], [1.0, 2.0, -1.0]]> : tensor<2x3xf32>]} {
  %0 = nn.pad %x, %v {before = array<i64: 1, 0>, after = array<i64: 0, 1>} : (tensor<1x2xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A negative number crops: drop the first, append two.
func.func @crop(%x: tensor<3xi64>) -> tensor<4xi64> attributes {
    inputs = [dense<[1, 2, 3]> : tensor<3xi64>],
    expected = [dense<[2, 3, 0, 0]> : tensor<4xi64>]} {
  %0 = nn.pad %x {before = array<i64: -1>, after = array<i64: 2>} : (tensor<3xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// Real 0 is the zero point, here -3.
!q = !quant.uniform<i8:f32, 0.5:-3>
func.func @zero_point(%x: tensor<1x!q>) -> tensor<3x!q> attributes {
    inputs = [dense<[7]> : tensor<1xi8>],
    expected = [dense<[-3, 7, -3]> : tensor<3xi8>]} {
  %0 = nn.pad %x {before = array<i64: 1>, after = array<i64: 1>} : (tensor<1x!q>) -> tensor<3x!q>
  return %0 : tensor<3x!q>
}

// In a group the value is a real: 1.25 / 0.5 = 2.5 -> 2 (even), - 3 = -1.
// The input's grid (scale 1, zero point 0) differs: code 2 is real 2 = code 1.
!p = !quant.uniform<i8:f32, 1.0>
func.func @group(%x: tensor<1x!p>) -> tensor<2x!q> attributes {
    inputs = [dense<[2]> : tensor<1xi8>],
    expected = [dense<[-1, 1]> : tensor<2xi8>]} {
  %v = nn.constant dense<1.25> : tensor<f32> : tensor<f32>
  %0 = nn.dequantize %x : (tensor<1x!p>) -> tensor<1xf32>
  %1 = nn.pad %0, %v {before = array<i64: 1>, after = array<i64: 0>} : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = nn.quantize %1 : (tensor<2xf32>) -> tensor<2x!q>
  return %2 : tensor<2x!q>
}

// -infinity saturates: what a max pool's border wants.
func.func @infinite(%x: tensor<1x!q>) -> tensor<2x!q> attributes {
    inputs = [dense<[7]> : tensor<1xi8>],
    expected = [dense<[-128, 7]> : tensor<2xi8>]} {
  %v = nn.constant dense<0xFF800000> : tensor<f32> : tensor<f32>
  %0 = nn.pad %x, %v {before = array<i64: 1>, after = array<i64: 0>} : (tensor<1x!q>, tensor<f32>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}
