// An addend that is no number keeps its product in floats: infinities saturate
// and NaN gives the smallest code, on the evaluator as on the CPU.
// RUN: tally-check %s --executor=eval,fused,cpu

!x = !quant.uniform<i8:f32, 0.5>
!y = !quant.uniform<i8:f32, 1.0>

// 0.5 * 0.5 * (2 * 4) = 2, plus the addend: 2 + inf, 2 - inf, 2 + NaN, 2 + 1.
func.func @gemm(%x: tensor<1x1x!x>, %w: tensor<1x4x!x>) -> tensor<1x4x!y> attributes {
    inputs = [dense<2> : tensor<1x1xi8>, dense<4> : tensor<1x4xi8>],
    expected = [dense<[[127, -128, -128, 3]]> : tensor<1x4xi8>]} {
  %0 = nn.dequantize %x : (tensor<1x1x!x>) -> tensor<1x1xf32>
  %1 = nn.dequantize %w : (tensor<1x4x!x>) -> tensor<1x4xf32>
  %c = nn.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 1.0]> : tensor<4xf32> : tensor<4xf32>
  %2 = nn.gemm %0, %1, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<1x1xf32>, tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
  %3 = nn.quantize %2 : (tensor<1x4xf32>) -> tensor<1x4x!y>
  return %3 : tensor<1x4x!y>
}

// A slope of infinity: -1 * inf is -inf; 2 stays 2.
func.func @prelu(%x: tensor<2x!x>) -> tensor<2x!y> attributes {
    inputs = [dense<[-2, 4]> : tensor<2xi8>],
    expected = [dense<[-128, 2]> : tensor<2xi8>]} {
  %0 = nn.dequantize %x : (tensor<2x!x>) -> tensor<2xf32>
  %s = nn.constant dense<0x7F800000> : tensor<1xf32> : tensor<1xf32>
  %1 = nn.prelu %0, %s : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  %2 = nn.quantize %1 : (tensor<2xf32>) -> tensor<2x!y>
  return %2 : tensor<2x!y>
}

// Where selects, and an infinity it selects saturates.
func.func @where(%x: tensor<2x!x>, %m: tensor<2xi1>) -> tensor<2x!y> attributes {
    inputs = [dense<[4, 4]> : tensor<2xi8>, dense<[true, false]> : tensor<2xi1>],
    expected = [dense<[2, -128]> : tensor<2xi8>]} {
  %0 = nn.dequantize %x : (tensor<2x!x>) -> tensor<2xf32>
  %s = nn.constant dense<0xFF800000> : tensor<f32> : tensor<f32>
  %1 = nn.where %m, %0, %s : (tensor<2xi1>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = nn.quantize %1 : (tensor<2xf32>) -> tensor<2x!y>
  return %2 : tensor<2x!y>
}
