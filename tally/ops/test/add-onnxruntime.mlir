// RUN: tally-check %s --executor=eval,cpu --numerics=onnxruntime
// RUN: not tally-check %s | FileCheck %s

// That runtime adds the zero point before it rounds: the reals -65.5 and 1.75
// are -127.5 halves, to even -128, plus 1; in its order -126.5 to even. The
// expected codes are what version 1.32 answers; without the profile all differ.
// CHECK: odd_zero_point (eval): result 0: element 0 is -127, expected -126
!a = !quant.uniform<i8:f32, 0.5:3>
!b = !quant.uniform<i8:f32, 0.25:-5>
!c = !quant.uniform<i8:f32, 0.5:1>
func.func @odd_zero_point(%x: tensor<2x!a>, %y: tensor<2x!b>) -> tensor<2x!c> attributes {
    inputs = [dense<[-128, -128]> : tensor<2xi8>, dense<[2, 6]> : tensor<2xi8>],
    expected = [dense<[-126, -124]> : tensor<2xi8>]} {
  %0 = nn.add %x, %y : (tensor<2x!a>, tensor<2x!b>) -> tensor<2x!c>
  return %0 : tensor<2x!c>
}

// The same operation when it was a group.
func.func @group(%x: tensor<1x!a>, %y: tensor<1x!b>) -> tensor<1x!c> attributes {
    inputs = [dense<[-128]> : tensor<1xi8>, dense<[2]> : tensor<1xi8>],
    expected = [dense<[-126]> : tensor<1xi8>]} {
  %dx = nn.dequantize %x : (tensor<1x!a>) -> tensor<1xf32>
  %dy = nn.dequantize %y : (tensor<1x!b>) -> tensor<1xf32>
  %s = nn.add %dx, %dy : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %0 = nn.quantize %s : (tensor<1xf32>) -> tensor<1x!c>
  return %0 : tensor<1x!c>
}

// -131 * 0.05 - 80 * 0.1 over 0.3 is -48.5, plus 1: in fp32 the two orders of
// the sum fall on both sides of -47.5. A first operand that is one element
// along the innermost dimension is added first.
!d = !quant.uniform<i8:f32, 0.05:3>
!e = !quant.uniform<i8:f32, 0.1:-5>
!f = !quant.uniform<i8:f32, 0.3:1>
func.func @two_tensors(%x: tensor<2x!d>, %y: tensor<2x!e>) -> tensor<2x!f> attributes {
    inputs = [dense<[-128, -128]> : tensor<2xi8>, dense<[-85, -85]> : tensor<2xi8>],
    expected = [dense<[-48, -48]> : tensor<2xi8>]} {
  %0 = nn.add %x, %y : (tensor<2x!d>, tensor<2x!e>) -> tensor<2x!f>
  return %0 : tensor<2x!f>
}

func.func @first_is_scalar(%x: tensor<1x!d>, %y: tensor<2x!e>) -> tensor<2x!f> attributes {
    inputs = [dense<[-128]> : tensor<1xi8>, dense<[-85, -85]> : tensor<2xi8>],
    expected = [dense<[-47, -47]> : tensor<2xi8>]} {
  %0 = nn.add %x, %y : (tensor<1x!d>, tensor<2x!e>) -> tensor<2x!f>
  return %0 : tensor<2x!f>
}

// Innermost means innermost of the dimensions that are not 1.
func.func @column_is_scalar(%x: tensor<1x1x!d>, %y: tensor<2x1x!e>) -> tensor<2x1x!f> attributes {
    inputs = [dense<[[-128]]> : tensor<1x1xi8>, dense<[[-85], [-85]]> : tensor<2x1xi8>],
    expected = [dense<[[-47], [-47]]> : tensor<2x1xi8>]} {
  %0 = nn.add %x, %y : (tensor<1x1x!d>, tensor<2x1x!e>) -> tensor<2x1x!f>
  return %0 : tensor<2x1x!f>
}

func.func @second_is_scalar(%x: tensor<2x!d>, %y: tensor<1x!e>) -> tensor<2x!f> attributes {
    inputs = [dense<[-128, -128]> : tensor<2xi8>, dense<[-85]> : tensor<1xi8>],
    expected = [dense<[-48, -48]> : tensor<2xi8>]} {
  %0 = nn.add %x, %y : (tensor<2x!d>, tensor<1x!e>) -> tensor<2x!f>
  return %0 : tensor<2x!f>
}
