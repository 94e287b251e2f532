// RUN: tally-check %s --executor=eval,cpu --numerics=onnxruntime
// RUN: not tally-check %s | FileCheck %s

// That runtime multiplies by floor(1 / 0.15) = 6; exactly 1 / 0.15 = 6.67.
!a = !quant.uniform<u8:f32, 0.1>
!b = !quant.uniform<u8:f32, 0.15:3>
// CHECK: whole_quotient (eval): result 0: element 0 is 10, expected 9
func.func @whole_quotient(%x: tensor<1x1x!a>) -> tensor<1x1x!b> attributes {
    inputs = [dense<[[200]]> : tensor<1x1xui8>],
    expected = [dense<[[9]]> : tensor<1x1xui8>]} {
  %0 = nn.integer_softmax %x {axis = 1 : i64} : (tensor<1x1x!a>) -> tensor<1x1x!b>
  return %0 : tensor<1x1x!b>
}

// Shares 1/2 and 1 of scale 1/256 on i8 with the usual zero point: 128 - 128,
// and 256 - 128, which saturates. A code 255 steps of 10 below the largest has
// share 0.
!c = !quant.uniform<i8:f32, 10.0>
!d = !quant.uniform<i8:f32, 0.00390625:-128>
func.func @saturates(%x: tensor<2x2x!c>) -> tensor<2x2x!d> attributes {
    inputs = [dense<[[5, 5], [127, -128]]> : tensor<2x2xi8>],
    expected = [dense<[[0, 0], [127, -128]]> : tensor<2x2xi8>]} {
  %0 = nn.integer_softmax %x {axis = 1 : i64} : (tensor<2x2x!c>) -> tensor<2x2x!d>
  return %0 : tensor<2x2x!d>
}
