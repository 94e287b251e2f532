// RUN: tally-check %s --executor=eval,cpu

// As in C: x^0 = 1 even for NaN; a negative base needs an integer exponent.
func.func @float(%x: tensor<6xf32>, %y: tensor<6xf32>) -> tensor<6xf32> attributes {
    inputs = [dense<[2.0, 0x7FC00000, -2.0, -2.0, 0.0, 3.0]> : tensor<6xf32>,
              dense<[3.0, 0.0, 3.0, 0.5, -1.0, 4.0]> : tensor<6xf32>],
    expected = [dense<[8.0, 1.0, -8.0, 0x7FC00000, 0x7F800000, 81.0]> : tensor<6xf32>]} {
  %0 = nn.pow %x, %y : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// The exponent becomes fp32.
func.func @float_to_integer(%x: tensor<2xf32>, %y: tensor<2xi64>) -> tensor<2xf32> attributes {
    inputs = [dense<[2.0, 4.0]> : tensor<2xf32>,
              dense<[-1, 2]> : tensor<2xi64>],
    expected = [dense<[0.5, 16.0]> : tensor<2xf32>]} {
  %0 = nn.pow %x, %y : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// 3^5 = 243 wraps to -13; negative powers are truncated quotients.
func.func @integer(%x: tensor<6xi8>, %y: tensor<6xi8>) -> tensor<6xi8> attributes {
    inputs = [dense<[2, 3, 2, -1, 0, 1]> : tensor<6xi8>,
              dense<[6, 5, -1, -3, -2, -9]> : tensor<6xi8>],
    expected = [dense<[64, -13, 0, -1, 0, 1]> : tensor<6xi8>]} {
  %0 = nn.pow %x, %y : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
  return %0 : tensor<6xi8>
}

// An integral exponent is exact; 2^-1 = 0.5, 10^0.5 = 3.16 and 100^2.5 = 100000 truncate and saturate; NaN is 0.
func.func @integer_to_float(%x: tensor<5xi16>, %y: tensor<5xf32>) -> tensor<5xi16> attributes {
    inputs = [dense<[3, 2, 10, 100, -2]> : tensor<5xi16>,
              dense<[5.0, -1.0, 0.5, 2.5, 0.5]> : tensor<5xf32>],
    expected = [dense<[243, 0, 3, 32767, 0]> : tensor<5xi16>]} {
  %0 = nn.pow %x, %y : (tensor<5xi16>, tensor<5xf32>) -> tensor<5xi16>
  return %0 : tensor<5xi16>
}

// An even base vanishes; odd ones repeat: (2^64 - 1)^2^63 = 1; -1 for the inverse of a large unsigned is no -1.
func.func @large_exponents(%x: tensor<3xui64>, %y: tensor<3xf32>) -> tensor<3xui64> attributes {
    inputs = [dense<[2, 18446744073709551615, 18446744073709551615]> : tensor<3xui64>,
              dense<[9.223372036854775808e18, 9.223372036854775808e18, -1.0]> : tensor<3xf32>],
    expected = [dense<[0, 1, 0]> : tensor<3xui64>]} {
  %0 = nn.pow %x, %y : (tensor<3xui64>, tensor<3xf32>) -> tensor<3xui64>
  return %0 : tensor<3xui64>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.125>

// A constant exponent acts on codes: 1.5^3 = 3.375 is 27 eighths; -1: -8;
// 0^3: 0.
func.func @codes(%x: tensor<3x!q>) -> tensor<3x!r> attributes {
    inputs = [dense<[3, -2, 0]> : tensor<3xi8>],
    expected = [dense<[27, -8, 0]> : tensor<3xi8>]} {
  %e = nn.constant dense<3.0> : tensor<f32> : tensor<f32>
  %0 = nn.pow %x, %e : (tensor<3x!q>, tensor<f32>) -> tensor<3x!r>
  return %0 : tensor<3x!r>
}

// The same between Dequantize and Quantize, with -1/2: 1/sqrt(1/2) = 1.414 is
// 11.3 eighths; 0 gives the highest code and -1 no real, the code of 0.
func.func @group(%x: tensor<3x!q>) -> tensor<3x!r> attributes {
    inputs = [dense<[1, 0, -2]> : tensor<3xi8>],
    expected = [dense<[11, 127, 0]> : tensor<3xi8>]} {
  %e = nn.constant dense<-0.5> : tensor<f32> : tensor<f32>
  %d = nn.dequantize %x : (tensor<3x!q>) -> tensor<3xf32>
  %p = nn.pow %d, %e : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %0 = nn.quantize %p : (tensor<3xf32>) -> tensor<3x!r>
  return %0 : tensor<3x!r>
}
