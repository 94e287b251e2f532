// RUN: tally-check %s --executor=eval,cpu

// The sign of the divisor; x mod 0 = 0.
func.func @floored(%x: tensor<5xi8>, %y: tensor<5xi8>) -> tensor<5xi8> attributes {
    inputs = [dense<[-7, 7, -6, 5, -128]> : tensor<5xi8>,
              dense<[3, -3, 3, 0, -1]> : tensor<5xi8>],
    expected = [dense<[2, -2, 0, 0, 0]> : tensor<5xi8>]} {
  %0 = nn.mod %x, %y {fmod = false} : (tensor<5xi8>, tensor<5xi8>) -> tensor<5xi8>
  return %0 : tensor<5xi8>
}

// The sign of the dividend.
func.func @truncated(%x: tensor<3xi8>, %y: tensor<3xi8>) -> tensor<3xi8> attributes {
    inputs = [dense<[-7, 7, 5]> : tensor<3xi8>,
              dense<[3, -3, 0]> : tensor<3xi8>],
    expected = [dense<[-1, 1, 0]> : tensor<3xi8>]} {
  %0 = nn.mod %x, %y {fmod = true} : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

func.func @unsigned(%x: tensor<2xui64>, %y: tensor<2xui64>) -> tensor<2xui64> attributes {
    inputs = [dense<[18446744073709551615, 7]> : tensor<2xui64>,
              dense<[10, 0]> : tensor<2xui64>],
    expected = [dense<[5, 0]> : tensor<2xui64>]} {
  %0 = nn.mod %x, %y {fmod = false} : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  return %0 : tensor<2xui64>
}

// Exact: 1e10 mod 3 = 1.
func.func @float(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> attributes {
    inputs = [dense<[-5.5, 10000000000.0, 1.0, 2.0, 0x7F800000]> : tensor<5xf32>,
              dense<[2.0, 3.0, 0.0, 0x7F800000, 2.0]> : tensor<5xf32>],
    expected = [dense<[-1.5, 1.0, 0x7FC00000, 2.0, 0x7FC00000]> : tensor<5xf32>]} {
  %0 = nn.mod %x, %y {fmod = true} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @half(%x: tensor<1xf16>, %y: tensor<1xf16>) -> tensor<1xf16> attributes {
    inputs = [dense<[-5.5]> : tensor<1xf16>,
              dense<[2.0]> : tensor<1xf16>],
    expected = [dense<[-1.5]> : tensor<1xf16>]} {
  %0 = nn.mod %x, %y {fmod = true} : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
  return %0 : tensor<1xf16>
}
