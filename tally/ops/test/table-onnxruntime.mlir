// RUN: tally-check %s --executor=eval,cpu --numerics=onnxruntime
// RUN: not tally-check %s | FileCheck %s

// That runtime's tables dequantize, apply and quantize in fp32. Half over the
// fp32 number 0.04 is just above 12.5, in fp32 it is 12.5, to even.
// CHECK: sigmoid (eval): result 0: element 0 is 13, expected 12
!a = !quant.uniform<i8:f32, 0.055>
!b = !quant.uniform<i8:f32, 0.04>
func.func @sigmoid(%x: tensor<1x!a>) -> tensor<1x!b> attributes {
    inputs = [dense<[0]> : tensor<1xi8>],
    expected = [dense<[12]> : tensor<1xi8>]} {
  %0 = nn.sigmoid %x : (tensor<1x!a>) -> tensor<1x!b>
  return %0 : tensor<1x!b>
}

// 0.1 * -25 * 2.1 over 0.3 is just above -17.5 in exact fp32 numbers.
// CHECK: leaky_relu (eval): result 0: element 0 is -17, expected -18
!c = !quant.uniform<i8:f32, 0.1>
!d = !quant.uniform<i8:f32, 0.3>
func.func @leaky_relu(%x: tensor<1x!c>) -> tensor<1x!d> attributes {
    inputs = [dense<[-25]> : tensor<1xi8>],
    expected = [dense<[-18]> : tensor<1xi8>]} {
  %0 = nn.leaky_relu %x {alpha = 2.1 : f32} : (tensor<1x!c>) -> tensor<1x!d>
  return %0 : tensor<1x!d>
}

// There is no such kernel for PRelu: the ideal code under every profile.
func.func @prelu(%x: tensor<1x!c>) -> tensor<1x!d> attributes {
    inputs = [dense<[-25]> : tensor<1xi8>],
    expected = [dense<[-17]> : tensor<1xi8>]} {
  %s = nn.constant dense<2.1> : tensor<f32> : tensor<f32>
  %0 = nn.prelu %x, %s : (tensor<1x!c>, tensor<f32>) -> tensor<1x!d>
  return %0 : tensor<1x!d>
}
