// RUN: tally-check %s --executor=eval,cpu

// One slope per channel.
func.func @channels(%x: tensor<1x2x2xf32>, %s: tensor<2x1xf32>) -> tensor<1x2x2xf32> attributes {
    inputs = [dense<[[[-4.0, 3.0], [-4.0, 0x7FC00000]]]> : tensor<1x2x2xf32>, dense<[[0.25], [-2.0]]> : tensor<2x1xf32>],
    expected = [dense<[[[-1.0, 3.0], [8.0, 0x7FC00000]]]> : tensor<1x2x2xf32>]} {
  %0 = nn.prelu %x, %s : (tensor<1x2x2xf32>, tensor<2x1xf32>) -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
}

// -100 * 2 wraps.
func.func @integer(%x: tensor<3xi32>, %y: tensor<3xi32>) -> tensor<3xi32> attributes {
    inputs = [dense<[-2147483648, 3, -5]> : tensor<3xi32>,
              dense<[2, 9, 3]> : tensor<3xi32>],
    expected = [dense<[0, 3, -15]> : tensor<3xi32>]} {
  %0 = nn.prelu %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// Nothing is below zero.
func.func @unsigned(%x: tensor<1xui64>, %y: tensor<1xui64>) -> tensor<1xui64> attributes {
    inputs = [dense<[18446744073709551615]> : tensor<1xui64>,
              dense<[2]> : tensor<1xui64>],
    expected = [dense<[18446744073709551615]> : tensor<1xui64>]} {
  %0 = nn.prelu %x, %y : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
  return %0 : tensor<1xui64>
}

!q = !quant.uniform<i8:f32, 0.5:1>
!r = !quant.uniform<i8:f32, 0.25:10>
!s = !quant.uniform<i8:f32:0, {0.25:0,0.5:2}>

// Real slopes: -2 * 1/4 is -2 quarters, -2 * 3/4 is -6; 1: 4.
func.func @codes(%x: tensor<2x2x!q>) -> tensor<2x2x!r> attributes {
    inputs = [dense<[[-3, 3], [-3, 3]]> : tensor<2x2xi8>],
    expected = [dense<[[8, 14], [4, 14]]> : tensor<2x2xi8>]} {
  %s = nn.constant dense<[[0.25], [0.75]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %0 = nn.prelu %x, %s : (tensor<2x2x!q>, tensor<2x1xf32>) -> tensor<2x2x!r>
  return %0 : tensor<2x2x!r>
}

// Slopes that are codes of a grid per channel: 3 * 0.25 and (7 - 2) * 0.5:
// -2 * 0.75 is -6 quarters, -2 * 2.5 is -20.
func.func @group(%x: tensor<2x2x!q>) -> tensor<2x2x!r> attributes {
    inputs = [dense<[[-3, 3], [-3, 3]]> : tensor<2x2xi8>],
    expected = [dense<[[4, 14], [-10, 14]]> : tensor<2x2xi8>]} {
  %c = nn.constant dense<[[3], [7]]> : tensor<2x1xi8> : tensor<2x1x!s>
  %s = nn.dequantize %c : (tensor<2x1x!s>) -> tensor<2x1xf32>
  %d = nn.dequantize %x : (tensor<2x2x!q>) -> tensor<2x2xf32>
  %p = nn.prelu %d, %s : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %0 = nn.quantize %p : (tensor<2x2xf32>) -> tensor<2x2x!r>
  return %0 : tensor<2x2x!r>
}

// A constant slope makes it a group: 0.1 * -25 * 2.1 over 0.3 is, of the exact
// fp32 numbers, just above -17.5, so -17.
!t = !quant.uniform<i8:f32, 0.1>
!u = !quant.uniform<i8:f32, 0.3>
func.func @constant_slope(%x: tensor<1x!t>) -> tensor<1x!u> attributes {
    inputs = [dense<[-25]> : tensor<1xi8>],
    expected = [dense<[-17]> : tensor<1xi8>]} {
  %s = nn.constant dense<[2.1]> : tensor<1xf32> : tensor<1xf32>
  %d = nn.dequantize %x : (tensor<1x!t>) -> tensor<1xf32>
  %p = nn.prelu %d, %s : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %0 = nn.quantize %p : (tensor<1xf32>) -> tensor<1x!u>
  return %0 : tensor<1x!u>
}

// A slope known at run time only does not: in fp32 the quotient is -17.5, to
// even.
func.func @run_time_slope(%x: tensor<1x!t>, %s: tensor<1xf32>) -> tensor<1x!u> attributes {
    inputs = [dense<[-25]> : tensor<1xi8>, dense<[2.1]> : tensor<1xf32>],
    expected = [dense<[-18]> : tensor<1xi8>]} {
  %d = nn.dequantize %x : (tensor<1x!t>) -> tensor<1xf32>
  %p = nn.prelu %d, %s : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %0 = nn.quantize %p : (tensor<1xf32>) -> tensor<1x!u>
  return %0 : tensor<1x!u>
}

// Slopes that depend on constants only, however far away: a half-precision
// number spread over the channels. -2 * 1/4 is -2 quarters, 1: 4.
func.func @computed_slope(%x: tensor<2x2x!q>) -> tensor<2x2x!r> attributes {
    inputs = [dense<[[-3, 3], [-3, 3]]> : tensor<2x2xi8>],
    expected = [dense<[[8, 14], [8, 14]]> : tensor<2x2xi8>]} {
  %h = nn.constant dense<0.25> : tensor<1x1xf16> : tensor<1x1xf16>
  %f = nn.cast %h : (tensor<1x1xf16>) -> tensor<1x1xf32>
  %s = nn.expand %f {shape = array<i64: 2, 1>} : (tensor<1x1xf32>) -> tensor<2x1xf32>
  %d = nn.dequantize %x : (tensor<2x2x!q>) -> tensor<2x2xf32>
  %p = nn.prelu %d, %s : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %0 = nn.quantize %p : (tensor<2x2xf32>) -> tensor<2x2x!r>
  return %0 : tensor<2x2x!r>
}
