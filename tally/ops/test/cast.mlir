// RUN: tally-check %s --executor=eval,cpu

// Toward zero, saturated; NaN is 0.
func.func @float_to_i8(%x: tensor<7xf32>) -> tensor<7xi8> attributes {
    inputs = [dense<[-1.9, 1.9, 200.0, -200.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<7xf32>],
    expected = [dense<[-1, 1, 127, -128, 0, 127, -128]> : tensor<7xi8>]} {
  %0 = nn.cast %x : (tensor<7xf32>) -> tensor<7xi8>
  return %0 : tensor<7xi8>
}

func.func @float_to_u64(%x: tensor<3xf32>) -> tensor<3xui64> attributes {
    inputs = [dense<[-1.0, 18446744073709551615.0, 9.3e18]> : tensor<3xf32>],
    expected = [dense<[0, 18446744073709551615, 9300000300729368576]> : tensor<3xui64>]} {
  %0 = nn.cast %x : (tensor<3xf32>) -> tensor<3xui64>
  return %0 : tensor<3xui64>
}

func.func @float_to_i64(%x: tensor<2xf32>) -> tensor<2xi64> attributes {
    inputs = [dense<[9.3e18, -9.3e18]> : tensor<2xf32>],
    expected = [dense<[9223372036854775807, -9223372036854775808]> : tensor<2xi64>]} {
  %0 = nn.cast %x : (tensor<2xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

func.func @double_to_i32(%x: tensor<3xf64>) -> tensor<3xi32> attributes {
    inputs = [dense<[2147483647.9, -2147483648.9, 3.0e9]> : tensor<3xf64>],
    expected = [dense<[2147483647, -2147483648, 2147483647]> : tensor<3xi32>]} {
  %0 = nn.cast %x : (tensor<3xf64>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// The low bits.
func.func @integer_to_integer(%x: tensor<3xi32>) -> tensor<3xi8> attributes {
    inputs = [dense<[300, -1, -129]> : tensor<3xi32>],
    expected = [dense<[44, -1, 127]> : tensor<3xi8>]} {
  %0 = nn.cast %x : (tensor<3xi32>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

func.func @sign_extension(%x: tensor<1xi8>) -> tensor<1xui64> attributes {
    inputs = [dense<[-1]> : tensor<1xi8>],
    expected = [dense<[18446744073709551615]> : tensor<1xui64>]} {
  %0 = nn.cast %x : (tensor<1xi8>) -> tensor<1xui64>
  return %0 : tensor<1xui64>
}

// -0 is zero, NaN and 0.1 are not.
func.func @to_bool(%x: tensor<3xf32>) -> tensor<3xi1> attributes {
    inputs = [dense<[-0.0, 0.1, 0x7FC00000]> : tensor<3xf32>],
    expected = [dense<[false, true, true]> : tensor<3xi1>]} {
  %0 = nn.cast %x : (tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

func.func @from_bool(%x: tensor<2xi1>) -> tensor<2xf32> attributes {
    inputs = [dense<[false, true]> : tensor<2xi1>],
    expected = [dense<[0.0, 1.0]> : tensor<2xf32>]} {
  %0 = nn.cast %x : (tensor<2xi1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @bool_to_integer(%x: tensor<2xi1>) -> tensor<2xi64> attributes {
    inputs = [dense<[false, true]> : tensor<2xi1>],
    expected = [dense<[0, 1]> : tensor<2xi64>]} {
  %0 = nn.cast %x : (tensor<2xi1>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// 2^24 + 1 is a tie, to even; 2^24 + 3 too.
func.func @integer_to_float(%x: tensor<2xi32>) -> tensor<2xf32> attributes {
    inputs = [dense<[16777217, 16777219]> : tensor<2xi32>],
    expected = [dense<[16777216.0, 16777220.0]> : tensor<2xf32>]} {
  %0 = nn.cast %x : (tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @unsigned_to_float(%x: tensor<1xui64>) -> tensor<1xf32> attributes {
    inputs = [dense<[18446744073709551615]> : tensor<1xui64>],
    expected = [dense<[18446744073709551616.0]> : tensor<1xf32>]} {
  %0 = nn.cast %x : (tensor<1xui64>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// 2^60 + 2^52 + 1 is just above the middle of two bf16 numbers; through fp64 or fp32 it would be the middle.
func.func @once_rounded(%x: tensor<1xi64>) -> tensor<1xbf16> attributes {
    inputs = [dense<[1157425104234217473]> : tensor<1xi64>],
    expected = [dense<[1.161928703861587968e18]> : tensor<1xbf16>]} {
  %0 = nn.cast %x : (tensor<1xi64>) -> tensor<1xbf16>
  return %0 : tensor<1xbf16>
}

// 1 + 2^-11 + 2^-40 is just above the middle; through fp32 it would be the middle.
func.func @double_to_half(%x: tensor<1xf64>) -> tensor<1xf16> attributes {
    inputs = [dense<[1.00048828125090949]> : tensor<1xf64>],
    expected = [dense<[1.0009765625]> : tensor<1xf16>]} {
  %0 = nn.cast %x : (tensor<1xf64>) -> tensor<1xf16>
  return %0 : tensor<1xf16>
}

func.func @half_overflow(%x: tensor<3xf32>) -> tensor<3xf16> attributes {
    inputs = [dense<[65519.0, 65520.0, -1.0e6]> : tensor<3xf32>],
    expected = [dense<[65504.0, 0x7C00, 0xFC00]> : tensor<3xf16>]} {
  %0 = nn.cast %x : (tensor<3xf32>) -> tensor<3xf16>
  return %0 : tensor<3xf16>
}

func.func @half_to_float(%x: tensor<1xf16>) -> tensor<1xf32> attributes {
    inputs = [dense<[0x0001]> : tensor<1xf16>],
    expected = [dense<[5.9604644775390625e-08]> : tensor<1xf32>]} {
  %0 = nn.cast %x : (tensor<1xf16>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
