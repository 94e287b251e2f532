// RUN: tally-check %s --executor=eval,cpu

func.func @plain(%x: tensor<2x3xi8>) -> tensor<3x1x2xi8> attributes {
    inputs = [dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>],
    expected = [dense<[[[1, 2]], [[3, 4]], [[5, 6]]]> : tensor<3x1x2xi8>]} {
  %0 = nn.reshape %x {shape = array<i64: 3, 1, 2>} : (tensor<2x3xi8>) -> tensor<3x1x2xi8>
  return %0 : tensor<3x1x2xi8>
}

// Splitting the dimension behind the quantization axis keeps the axis; a new
// dimension in front moves it by one.
!p = !quant.uniform<i8:f32:0, {0.5, 2.0}>
!q = !quant.uniform<i8:f32:1, {0.5, 2.0}>
func.func @axis_moves(%x: tensor<2x4x!p>) -> tensor<1x2x2x2xf32> attributes {
    inputs = [dense<[[1, 2, 3, 4], [1, 2, 3, 4]]> : tensor<2x4xi8>],
    expected = [dense<[[[[0.5, 1.0], [1.5, 2.0]], [[2.0, 4.0], [6.0, 8.0]]]]> : tensor<1x2x2x2xf32>]} {
  %0 = nn.reshape %x {shape = array<i64: 1, 2, 2, 2>} : (tensor<2x4x!p>) -> tensor<1x2x2x2x!q>
  %1 = nn.dequantize %0 : (tensor<1x2x2x2x!q>) -> tensor<1x2x2x2xf32>
  return %1 : tensor<1x2x2x2xf32>
}

// Weights [2, 1, 1, 3] with a scale per output channel, reshaped to [2, 3]
// before a Gemm with transB: rows keep their scales, so the group is one.
// The numbers are those of transpose.mlir; in fp32 they would be 5 and 49.
!a = !quant.uniform<i8:f32, 0.1>
!w = !quant.uniform<i8:f32:0, {1.0, 3.0}>
!y = !quant.uniform<i8:f32, 0.2>
func.func @weights_behind(%a: tensor<1x3x!a>) -> tensor<1x2x!y> attributes {
    inputs = [dense<[[1, -3, 3]]> : tensor<1x3xi8>],
    expected = [dense<[[6, 50]]> : tensor<1x2xi8>]} {
  %w = nn.constant dense<[[[[5, -9, -7]]], [[[6, -8, 1]]]]> : tensor<2x1x1x3xi8> : tensor<2x1x1x3x!w>
  %0 = nn.dequantize %a : (tensor<1x3x!a>) -> tensor<1x3xf32>
  %1 = nn.dequantize %w : (tensor<2x1x1x3x!w>) -> tensor<2x1x1x3xf32>
  %2 = nn.reshape %1 {shape = array<i64: 2, 3>} : (tensor<2x1x1x3xf32>) -> tensor<2x3xf32>
  %3 = nn.gemm %0, %2 {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = true} : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<1x2xf32>
  %4 = nn.quantize %3 : (tensor<1x2xf32>) -> tensor<1x2x!y>
  return %4 : tensor<1x2x!y>
}
