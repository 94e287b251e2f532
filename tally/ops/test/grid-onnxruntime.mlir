// RUN: tally-check %s --executor=eval,cpu --numerics=onnxruntime
// RUN: not tally-check %s | FileCheck %s

// Codes that only change their grid are dequantized and quantized in fp32: the
// fp32 number 0.1 times 5 over the fp32 number 0.04 is just above 12.5, in
// fp32 it is 12.5, to even.
!a = !quant.uniform<i8:f32, 0.1>
!b = !quant.uniform<i8:f32, 0.04>
// CHECK: concat (eval): result 0: element 0 is 13, expected 12
func.func @concat(%x: tensor<1x!a>, %y: tensor<1x!b>) -> tensor<2x!b> attributes {
    inputs = [dense<[5]> : tensor<1xi8>, dense<[7]> : tensor<1xi8>],
    expected = [dense<[12, 7]> : tensor<2xi8>]} {
  %0 = nn.concat %x, %y {axis = 0 : i64} : (tensor<1x!a>, tensor<1x!b>) -> tensor<2x!b>
  return %0 : tensor<2x!b>
}

// CHECK: requantize (eval): result 0: element 0 is 13, expected 12
func.func @requantize(%x: tensor<1x!a>) -> tensor<1x!b> attributes {
    inputs = [dense<[5]> : tensor<1xi8>],
    expected = [dense<[12]> : tensor<1xi8>]} {
  %d = nn.dequantize %x : (tensor<1x!a>) -> tensor<1xf32>
  %0 = nn.quantize %d : (tensor<1xf32>) -> tensor<1x!b>
  return %0 : tensor<1x!b>
}

// On constants, too: folding must not decide by another profile.
// CHECK: constant (eval): result 0: element 0 is 13, expected 12
func.func @constant() -> tensor<1x!b> attributes {
    inputs = [], expected = [dense<[12]> : tensor<1xi8>]} {
  %x = nn.constant dense<[5]> : tensor<1xi8> : tensor<1x!a>
  %0 = nn.requantize %x : (tensor<1x!a>) -> tensor<1x!b>
  return %0 : tensor<1x!b>
}

// CHECK: maximum (eval): result 0: element 0 is 13, expected 12
func.func @maximum(%x: tensor<1x!a>, %y: tensor<1x!a>) -> tensor<1x!b> attributes {
    inputs = [dense<[5]> : tensor<1xi8>, dense<[4]> : tensor<1xi8>],
    expected = [dense<[12]> : tensor<1xi8>]} {
  %0 = nn.max %x, %y : (tensor<1x!a>, tensor<1x!a>) -> tensor<1x!b>
  return %0 : tensor<1x!b>
}

// CHECK: reduce_min (eval): result 0: element 0 is 13, expected 12
func.func @reduce_min(%x: tensor<2x!a>) -> tensor<1x!b> attributes {
    inputs = [dense<[5, 6]> : tensor<2xi8>],
    expected = [dense<[12]> : tensor<1xi8>]} {
  %0 = nn.reduce_min %x {axes = array<i64: 0>} : (tensor<2x!a>) -> tensor<1x!b>
  return %0 : tensor<1x!b>
}

// CHECK: max_pool (eval): result 0: element 0 is 13, expected 12
func.func @max_pool(%x: tensor<1x1x2x!a>) -> tensor<1x1x1x!b> attributes {
    inputs = [dense<[[[4, 5]]]> : tensor<1x1x2xi8>],
    expected = [dense<[[[12]]]> : tensor<1x1x1xi8>]} {
  %0 = nn.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x2x!a>) -> tensor<1x1x1x!b>
  return %0 : tensor<1x1x1x!b>
}

// On an equal grid codes are copied, although 2 * 3e38 is no fp32 number: the
// quotient of infinity would be the largest code.
!huge = !quant.uniform<i8:f32, 3.0e+38>
func.func @same_grid(%x: tensor<1x!huge>) -> (tensor<1x!huge>, tensor<1x!huge>) attributes {
    inputs = [dense<[2]> : tensor<1xi8>],
    expected = [dense<[2]> : tensor<1xi8>, dense<[2]> : tensor<1xi8>]} {
  %d = nn.dequantize %x : (tensor<1x!huge>) -> tensor<1xf32>
  %0 = nn.quantize %d : (tensor<1xf32>) -> tensor<1x!huge>
  %1 = nn.requantize %x : (tensor<1x!huge>) -> tensor<1x!huge>
  return %0, %1 : tensor<1x!huge>, tensor<1x!huge>
}
