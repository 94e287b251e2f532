// RUN: tally-check %s --executor=eval,cpu

// [2, 1] to [2, 2, 3]: a new dimension in front, the last one repeated.
func.func @repeat(%x: tensor<2x1xf32>) -> tensor<2x2x3xf32> attributes {
    inputs = [dense<[[1.0], [2.0]]> : tensor<2x1xf32>],
    expected = [dense<[[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]],
                       [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]]> : tensor<2x2x3xf32>]} {
  %0 = nn.expand %x {shape = array<i64: 2, 2, 3>} : (tensor<2x1xf32>) -> tensor<2x2x3xf32>
  return %0 : tensor<2x2x3xf32>
}

// The axis of a per-axis grid is counted from the last dimension.
!p = !quant.uniform<i8:f32:0, {0.5, 2.0}>
!q = !quant.uniform<i8:f32:1, {0.5, 2.0}>
func.func @axis_moves(%x: tensor<2x!p>) -> tensor<2x2xf32> attributes {
    inputs = [dense<[3, 4]> : tensor<2xi8>],
    expected = [dense<[[1.5, 8.0], [1.5, 8.0]]> : tensor<2x2xf32>]} {
  %0 = nn.expand %x {shape = array<i64: 2, 2>} : (tensor<2x!p>) -> tensor<2x2x!q>
  %1 = nn.dequantize %0 : (tensor<2x2x!q>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

func.func @scalar(%x: tensor<i1>) -> tensor<2xi1> attributes {
    inputs = [dense<true> : tensor<i1>], expected = [dense<true> : tensor<2xi1>]} {
  %0 = nn.expand %x {shape = array<i64: 2>} : (tensor<i1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
