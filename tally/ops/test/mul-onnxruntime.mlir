// RUN: tally-check %s --executor=eval,cpu --numerics=onnxruntime
// RUN: not tally-check %s | FileCheck %s

// That runtime adds the zero point before it rounds: 8.1875 * 4 = 32.75 is 65.5
// halves, to even 66, plus 1; in its order 66.5 to even, 66. The expected codes
// are what version 1.32 answers.
// CHECK: odd_zero_point (eval): result 0: element 0 is 67, expected 66
!a = !quant.uniform<i8:f32, 0.0625:3>
!b = !quant.uniform<i8:f32, 0.25:-5>
!c = !quant.uniform<i8:f32, 0.5:1>
func.func @odd_zero_point(%x: tensor<2x!a>, %y: tensor<2x!b>) -> tensor<2x!c> attributes {
    inputs = [dense<[-128, -128]> : tensor<2xi8>, dense<[-21, 11]> : tensor<2xi8>],
    expected = [dense<[66, -64]> : tensor<2xi8>]} {
  %0 = nn.mul %x, %y : (tensor<2x!a>, tensor<2x!b>) -> tensor<2x!c>
  return %0 : tensor<2x!c>
}

// A product beyond int32 converts to INT32_MIN: the lowest code, not the
// highest.
!big = !quant.uniform<i8:f32, 1.0e6>
!small = !quant.uniform<i8:f32, 0.001>
// CHECK: overflow (eval): result 0: element 0 is 127, expected -128
func.func @overflow(%x: tensor<1x!big>, %y: tensor<1x!big>) -> tensor<1x!small> attributes {
    inputs = [dense<[100]> : tensor<1xi8>, dense<[100]> : tensor<1xi8>],
    expected = [dense<[-128]> : tensor<1xi8>]} {
  %0 = nn.mul %x, %y : (tensor<1x!big>, tensor<1x!big>) -> tensor<1x!small>
  return %0 : tensor<1x!small>
}
