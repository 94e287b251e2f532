// RUN: tally-check %s --executor=eval,cpu

// [1 2; 3 4] * [5; 6] = [17; 39].
func.func @float(%a: tensor<2x2xf32>, %b: tensor<2x1xf32>) -> tensor<2x1xf32> attributes {
    inputs = [dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>, dense<[[5.0], [6.0]]> : tensor<2x1xf32>],
    expected = [dense<[[17.0], [39.0]]> : tensor<2x1xf32>]} {
  %0 = nn.matmul %a, %b : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// One fused multiply-add per term: with x = 1 + 2^-12, x * x = 1 + 2^-11 +
// 2^-24; minus 1 it keeps all its bits only when the product is not rounded.
// Ascending k: first -1 * 1, then x * x - 1 = 2^-11 + 2^-24.
func.func @fused(%a: tensor<1x2xf32>, %b: tensor<2x1xf32>) -> tensor<1x1xf32> attributes {
    inputs = [dense<[[-1.0, 0x3F800800]]> : tensor<1x2xf32>, dense<[[1.0], [0x3F800800]]> : tensor<2x1xf32>],
    expected = [dense<[[0x3A000400]]> : tensor<1x1xf32>]} {
  %0 = nn.matmul %a, %b : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// A batch of two left matrices and one right one.
func.func @batch(%a: tensor<2x1x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x1x2xf32> attributes {
    inputs = [dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>, dense<[[1.0, 10.0], [100.0, 1000.0]]> : tensor<2x2xf32>],
    expected = [dense<[[[201.0, 2010.0]], [[403.0, 4030.0]]]> : tensor<2x1x2xf32>]} {
  %0 = nn.matmul %a, %b : (tensor<2x1x2xf32>, tensor<2x2xf32>) -> tensor<2x1x2xf32>
  return %0 : tensor<2x1x2xf32>
}

// Both batches broadcast: result [i][j] = a[i] * b[j].
func.func @broadcast(%a: tensor<2x1x1x1xf32>, %b: tensor<3x1x1xf32>) -> tensor<2x3x1x1xf32> attributes {
    inputs = [dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>, dense<[[[3.0]], [[5.0]], [[7.0]]]> : tensor<3x1x1xf32>],
    expected = [dense<[[[[3.0]], [[5.0]], [[7.0]]], [[[6.0]], [[10.0]], [[14.0]]]]> : tensor<2x3x1x1xf32>]} {
  %0 = nn.matmul %a, %b : (tensor<2x1x1x1xf32>, tensor<3x1x1xf32>) -> tensor<2x3x1x1xf32>
  return %0 : tensor<2x3x1x1xf32>
}

// Plain integers wrap: 2^31 - 1 times 2 is -2.
func.func @wraps(%a: tensor<1x1xi32>, %b: tensor<1x1xi32>) -> tensor<1x1xi32> attributes {
    inputs = [dense<[[2147483647]]> : tensor<1x1xi32>, dense<[[2]]> : tensor<1x1xi32>],
    expected = [dense<[[-2]]> : tensor<1x1xi32>]} {
  %0 = nn.matmul %a, %b : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
  return %0 : tensor<1x1xi32>
}

!a = !quant.uniform<u8:f32, 0.5:10>
!column = !quant.uniform<i8:f32:1, {0.25:0, 1.0:1}>
!y = !quant.uniform<i8:f32, 1.0:-3>

// Row of a: 2, 4 (steps), times 0.5. Column 0: 3 and -1 at 0.25:
// (2 * 3 - 4) * 0.125 = 0.25, rounds to 0, code -3. Column 1: steps 4 and 1:
// (2 * 4 + 4 * 1) * 0.5 = 6, code 3.
func.func @per_column(%a: tensor<1x2x!a>, %b: tensor<2x2x!column>) -> tensor<1x2x!y> attributes {
    inputs = [dense<[[12, 14]]> : tensor<1x2xui8>, dense<[[3, 5], [-1, 2]]> : tensor<2x2xi8>],
    expected = [dense<[[-3, 3]]> : tensor<1x2xi8>]} {
  %0 = nn.matmul %a, %b : (tensor<1x2x!a>, tensor<2x2x!column>) -> tensor<1x2x!y>
  return %0 : tensor<1x2x!y>
}

!row = !quant.uniform<i8:f32:0, {0.25:0, 1.0:1}>
!b = !quant.uniform<u8:f32, 0.5:10>

// Weights on the left, per row: row 0: 3 * 2 * 0.125 = 0.75, code 1 - 3 = -2;
// row 1: (5 - 1) * 2 * 0.5 = 4, code 1.
func.func @per_row(%a: tensor<2x1x!row>, %b: tensor<1x1x!b>) -> tensor<2x1x!y> attributes {
    inputs = [dense<[[3], [5]]> : tensor<2x1xi8>, dense<[[12]]> : tensor<1x1xui8>],
    expected = [dense<[[-2], [1]]> : tensor<2x1xi8>]} {
  %0 = nn.matmul %a, %b : (tensor<2x1x!row>, tensor<1x1x!b>) -> tensor<2x1x!y>
  return %0 : tensor<2x1x!y>
}

// The dequantize-operate-quantize group has that meaning too.
func.func @group(%a: tensor<2x1x!row>, %b: tensor<1x1x!b>) -> tensor<2x1x!y> attributes {
    inputs = [dense<[[3], [5]]> : tensor<2x1xi8>, dense<[[12]]> : tensor<1x1xui8>],
    expected = [dense<[[-2], [1]]> : tensor<2x1xi8>]} {
  %0 = nn.dequantize %a : (tensor<2x1x!row>) -> tensor<2x1xf32>
  %1 = nn.dequantize %b : (tensor<1x1x!b>) -> tensor<1x1xf32>
  %2 = nn.matmul %0, %1 : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %3 = nn.quantize %2 : (tensor<2x1xf32>) -> tensor<2x1x!y>
  return %3 : tensor<2x1x!y>
}

!wide = !quant.uniform<i16:f32, 1.0:0>
!half = !quant.uniform<i16:f32, 3.0517578125e-05:0>

// 16-bit codes: 32767 * 32767 * 2 = 2147352578 overflows 31 bits; times
// 2^-15 * 1 that is 65532.0..., and saturates at 32767; a sum that cancels
// does not: (32767 * 32767 - 32767 * 32766) / 2^15 = 0.99997, code 1.
func.func @wide(%a: tensor<1x2x!wide>, %b: tensor<2x2x!half>) -> tensor<1x2x!wide> attributes {
    inputs = [dense<[[32767, 32767]]> : tensor<1x2xi16>, dense<[[32767, 32767], [32767, -32766]]> : tensor<2x2xi16>],
    expected = [dense<[[32767, 1]]> : tensor<1x2xi16>]} {
  %0 = nn.matmul %a, %b : (tensor<1x2x!wide>, tensor<2x2x!half>) -> tensor<1x2x!wide>
  return %0 : tensor<1x2x!wide>
}
