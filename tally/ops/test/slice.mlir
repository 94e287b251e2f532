// RUN: tally-check %s --executor=eval,cpu

// Rows 2 and 0 (start 2, step -2), columns 1 and 3: x[r, c] = 10r + c.
func.func @steps(%x: tensor<3x4xi16>) -> tensor<2x2xi16> attributes {
    inputs = [dense<[[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]> : tensor<3x4xi16>],
    expected = [dense<[[21, 23], [1, 3]]> : tensor<2x2xi16>]} {
  %0 = nn.slice %x {starts = array<i64: 2, 1>, sizes = array<i64: 2, 2>, steps = array<i64: -2, 2>} : (tensor<3x4xi16>) -> tensor<2x2xi16>
  return %0 : tensor<2x2xi16>
}

func.func @empty(%x: tensor<3xf32>) -> tensor<0xf32> attributes {
    inputs = [dense<[1.0, 2.0, 3.0]> : tensor<3xf32>],
    expected = [dense<> : tensor<0xf32>]} {
  %0 = nn.slice %x {starts = array<i64: 3>, sizes = array<i64: 0>, steps = array<i64: 1>} : (tensor<3xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// Between a Dequantize and a Quantize the slice moves codes: 2 * 0.5 = 1 is
// code 4 on the grid of scale 0.25, 6 * 0.5 = 3 is 12.
!x = !quant.uniform<u8:f32, 0.5>
!y = !quant.uniform<u8:f32, 0.25>
func.func @between(%x: tensor<4x!x>) -> tensor<2x!y> attributes {
    inputs = [dense<[0, 2, 4, 6]> : tensor<4xui8>],
    expected = [dense<[4, 12]> : tensor<2xui8>]} {
  %0 = nn.dequantize %x : (tensor<4x!x>) -> tensor<4xf32>
  %1 = nn.slice %0 {starts = array<i64: 1>, sizes = array<i64: 2>, steps = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>
  %2 = nn.quantize %1 : (tensor<2xf32>) -> tensor<2x!y>
  return %2 : tensor<2x!y>
}

// A dimension that is kept whole keeps its per-axis grid.
!p = !quant.uniform<i8:f32:1, {0.5, 2.0}>
func.func @other_axis(%x: tensor<3x2x!p>) -> tensor<1x2xf32> attributes {
    inputs = [dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>],
    expected = [dense<[[2.5, 12.0]]> : tensor<1x2xf32>]} {
  %0 = nn.slice %x {starts = array<i64: 2, 0>, sizes = array<i64: 1, 2>, steps = array<i64: 1, 1>} : (tensor<3x2x!p>) -> tensor<1x2x!p>
  %1 = nn.dequantize %0 : (tensor<1x2x!p>) -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}
