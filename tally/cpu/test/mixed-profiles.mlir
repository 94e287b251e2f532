// RUN: tally-check %s --executor=eval,cpu --numerics=onnxruntime
// RUN: tally-check %s --executor=eval,cpu --numerics=tflite

// A bias on a grid of its own is a real number, for which no profile but IDEAL
// has a form; a bias of 0 is none. So channel 0 follows the profile, channel 1
// follows IDEAL: 3 * 2 * 0.5 = 3, and 3 + 5 * 0.25 = 4.25, on scale 0.5 that
// is 6 and 8.5 -> 8.

!q = !quant.uniform<i8:f32, 1.0>
!w = !quant.uniform<i8:f32, 0.5>
!b = !quant.uniform<i32:f32, 0.25>
!y = !quant.uniform<i8:f32, 0.5>

func.func @conv(%x: tensor<1x1x1x!q>) -> tensor<1x2x1x!y> attributes {
    inputs = [dense<3> : tensor<1x1x1xi8>],
    expected = [dense<[[[6], [8]]]> : tensor<1x2x1xi8>]} {
  %w = nn.constant dense<2> : tensor<2x1x1xi8> : tensor<2x1x1x!w>
  %b = nn.constant dense<[0, 5]> : tensor<2xi32> : tensor<2x!b>
  %0 = nn.conv %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>,
      dilations = array<i64: 1>, group = 1 : i64}
      : (tensor<1x1x1x!q>, tensor<2x1x1x!w>, tensor<2x!b>) -> tensor<1x2x1x!y>
  return %0 : tensor<1x2x1x!y>
}

// The same as a matrix product, with the channels exchanged.
func.func @gemm(%x: tensor<1x1x!q>) -> tensor<1x2x!y> attributes {
    inputs = [dense<3> : tensor<1x1xi8>],
    expected = [dense<[[8, 6]]> : tensor<1x2xi8>]} {
  %w = nn.constant dense<2> : tensor<1x2xi8> : tensor<1x2x!w>
  %b = nn.constant dense<[5, 0]> : tensor<2xi32> : tensor<2x!b>
  %0 = nn.gemm %x, %w, %b {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false}
      : (tensor<1x1x!q>, tensor<1x2x!w>, tensor<2x!b>) -> tensor<1x2x!y>
  return %0 : tensor<1x2x!y>
}
