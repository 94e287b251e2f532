// RUN: tally-check %s --executor=eval,cpu

func.func @middle(%a: tensor<2x1x2xi8>, %b: tensor<2x2x2xi8>) -> tensor<2x3x2xi8> attributes {
    inputs = [dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi8>,
              dense<[[[5, 6], [7, 8]], [[9, 10], [11, 12]]]> : tensor<2x2x2xi8>],
    expected = [dense<[[[1, 2], [5, 6], [7, 8]], [[3, 4], [9, 10], [11, 12]]]> : tensor<2x3x2xi8>]} {
  %0 = nn.concat %a, %b {axis = 1 : i64} : (tensor<2x1x2xi8>, tensor<2x2x2xi8>) -> tensor<2x3x2xi8>
  return %0 : tensor<2x3x2xi8>
}

// Each operand is requantized to the result's grid (scale 1, zero point 1):
//   a, scale 0.5, zero point -1: codes 0, 2, -128 are reals 0.5, 1.5, -63.5;
//     RHE: 0, 2, -64; codes 1, 3, -63
//   b has the result's grid and is copied: 127 and -128 stay
//   c, scale 2: code 100 is real 200, 201 saturates to 127
!a = !quant.uniform<i8:f32, 0.5:-1>
!b = !quant.uniform<i8:f32, 1.0:1>
!c = !quant.uniform<u8:f32, 2.0>
func.func @grids(%a: tensor<3x!a>, %b: tensor<2x!b>, %c: tensor<1x!c>) -> tensor<6x!b> attributes {
    inputs = [dense<[0, 2, -128]> : tensor<3xi8>, dense<[127, -128]> : tensor<2xi8>,
              dense<[100]> : tensor<1xui8>],
    expected = [dense<[1, 3, -63, 127, -128, 127]> : tensor<6xi8>]} {
  %0 = nn.concat %a, %b, %c {axis = 0 : i64} : (tensor<3x!a>, tensor<2x!b>, tensor<1x!c>) -> tensor<6x!b>
  return %0 : tensor<6x!b>
}

// The same between Dequantize and Quantize, with a transposed operand.
func.func @group(%a: tensor<1x3x!a>, %b: tensor<2x1x!b>) -> tensor<5x1x!b> attributes {
    inputs = [dense<[[0, 2, -128]]> : tensor<1x3xi8>, dense<[[127], [-128]]> : tensor<2x1xi8>],
    expected = [dense<[[1], [3], [-63], [127], [-128]]> : tensor<5x1xi8>]} {
  %0 = nn.dequantize %a : (tensor<1x3x!a>) -> tensor<1x3xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<1x3xf32>) -> tensor<3x1xf32>
  %2 = nn.dequantize %b : (tensor<2x1x!b>) -> tensor<2x1xf32>
  %3 = nn.concat %1, %2 {axis = 0 : i64} : (tensor<3x1xf32>, tensor<2x1xf32>) -> tensor<5x1xf32>
  %4 = nn.quantize %3 : (tensor<5x1xf32>) -> tensor<5x1x!b>
  return %4 : tensor<5x1x!b>
}

// Codes of 8 bits on a grid of 16: 1 step of 0.5 is 256 of 2^-9, and -127 steps
// are -32512.
!w = !quant.uniform<i16:f32, 0.001953125>
func.func @wider(%a: tensor<2x!a>, %b: tensor<1x!w>) -> tensor<3x!w> attributes {
    inputs = [dense<[0, -128]> : tensor<2xi8>, dense<[30000]> : tensor<1xi16>],
    expected = [dense<[256, -32512, 30000]> : tensor<3xi16>]} {
  %0 = nn.concat %a, %b {axis = 0 : i64} : (tensor<2x!a>, tensor<1x!w>) -> tensor<3x!w>
  return %0 : tensor<3x!w>
}
