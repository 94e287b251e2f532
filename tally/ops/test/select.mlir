// RUN: tally-check %s --executor=eval,cpu

// Reflecting 5 elements by 2 on both sides: (2 1) (0 1 2 3 4) (3 2).
func.func @reflect(%x: tensor<5xi8>) -> tensor<9xi8> attributes {
    inputs = [dense<[10, 11, 12, 13, 14]> : tensor<5xi8>],
    expected = [dense<[12, 11, 10, 11, 12, 13, 14, 13, 12]> : tensor<9xi8>]} {
  %0 = nn.select %x {axes = array<i64: 0>, segments = [array<i64: 2, 2, -1, 0, 5, 1, 3, 2, -1>]} : (tensor<5xi8>) -> tensor<9xi8>
  return %0 : tensor<9xi8>
}

// Two dimensions at once, the middle one kept: planes 1, 0; columns 0, 0, 1.
func.func @two_axes(%x: tensor<2x1x2xf32>) -> tensor<2x1x3xf32> attributes {
    inputs = [dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>],
    expected = [dense<[[[3.0, 3.0, 4.0]], [[1.0, 1.0, 2.0]]]> : tensor<2x1x3xf32>]} {
  %0 = nn.select %x {axes = array<i64: 0, 2>, segments = [array<i64: 1, 2, -1>, array<i64: 0, 2, 0, 1, 1, 1>]} : (tensor<2x1x2xf32>) -> tensor<2x1x3xf32>
  return %0 : tensor<2x1x3xf32>
}

// Between Dequantize and Quantize it moves codes; -3 * 0.5 = -1.5 on scale 1
// rounds to -2 (even).
!x = !quant.uniform<i8:f32, 0.5>
!y = !quant.uniform<i8:f32, 1.0>
func.func @between(%x: tensor<2x!x>) -> tensor<4x!y> attributes {
    inputs = [dense<[-3, 4]> : tensor<2xi8>],
    expected = [dense<[-2, -2, 2, 2]> : tensor<4xi8>]} {
  %0 = nn.dequantize %x : (tensor<2x!x>) -> tensor<2xf32>
  %1 = nn.select %0 {axes = array<i64: 0>, segments = [array<i64: 0, 2, 0, 1, 2, 0>]} : (tensor<2xf32>) -> tensor<4xf32>
  %2 = nn.quantize %1 : (tensor<4xf32>) -> tensor<4x!y>
  return %2 : tensor<4x!y>
}
