// RUN: tally-check %s --executor=eval,cpu

// The quotient is rounded to the input's type before it is rounded to a code.
// f16: 0.25 / 0.0999755859375 = 2.50061 and 0.349853515625 / .. = 3.49939; near
// both halves lie 2^-9 apart, so they are 2.5 and 3.5, ties, to 2 and 4.
!h = !quant.uniform<i8:f32, 0.0999755859375>
func.func @half(%x: tensor<4xf16>) -> tensor<4x!h> attributes {
    inputs = [dense<[0x3400, 0x3599, 0xB599, 0x7E00]> : tensor<4xf16>],
    expected = [dense<[2, 4, -4, -128]> : tensor<4xi8>]} {
  %0 = nn.quantize %x : (tensor<4xf16>) -> tensor<4x!h>
  return %0 : tensor<4x!h>
}

// The same numbers in f32, where both are no ties.
func.func @float(%x: tensor<4xf32>) -> tensor<4x!h> attributes {
    inputs = [dense<[0.25, 0.349853515625, -0.349853515625, 0x7FC00000]> : tensor<4xf32>],
    expected = [dense<[3, 3, -3, -128]> : tensor<4xi8>]} {
  %0 = nn.quantize %x : (tensor<4xf32>) -> tensor<4x!h>
  return %0 : tensor<4x!h>
}

// bf16: 0.349609375 / 0.10009765625 = 3.4927, between 3.484375 and 3.5; the
// nearer is 3.5, to 4.
!b = !quant.uniform<i8:f32, 0.10009765625>
func.func @bfloat(%x: tensor<2xbf16>) -> tensor<2x!b> attributes {
    inputs = [dense<[0x3EB3, 0x7F80]> : tensor<2xbf16>],
    expected = [dense<[4, 127]> : tensor<2xi8>]} {
  %0 = nn.quantize %x : (tensor<2xbf16>) -> tensor<2x!b>
  return %0 : tensor<2x!b>
}

// Beyond the largest half the quotient is infinite: 65504 / 2^-8. With fp32 it
// would be 2^24 - 2^13, which saturates alike; 0 / 2^-8 is 0.
!s = !quant.uniform<i8:f32, 0.00390625:5>
func.func @overflow(%x: tensor<3xf16>) -> tensor<3x!s> attributes {
    inputs = [dense<[65504.0, -65504.0, -0.0]> : tensor<3xf16>],
    expected = [dense<[127, -128, 5]> : tensor<3xi8>]} {
  %0 = nn.quantize %x : (tensor<3xf16>) -> tensor<3x!s>
  return %0 : tensor<3x!s>
}
