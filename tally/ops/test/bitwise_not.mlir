// RUN: tally-check %s --executor=eval,cpu

// -x - 1.
func.func @signed(%x: tensor<3xi8>) -> tensor<3xi8> attributes {
    inputs = [dense<[-128, 0, 5]> : tensor<3xi8>],
    expected = [dense<[127, -1, -6]> : tensor<3xi8>]} {
  %0 = nn.bitwise_not %x : (tensor<3xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

func.func @unsigned(%x: tensor<3xui16>) -> tensor<3xui16> attributes {
    inputs = [dense<[0, 65535, 1]> : tensor<3xui16>],
    expected = [dense<[65535, 0, 65534]> : tensor<3xui16>]} {
  %0 = nn.bitwise_not %x : (tensor<3xui16>) -> tensor<3xui16>
  return %0 : tensor<3xui16>
}

func.func @wide(%x: tensor<1xui64>) -> tensor<1xui64> attributes {
    inputs = [dense<[0]> : tensor<1xui64>],
    expected = [dense<[18446744073709551615]> : tensor<1xui64>]} {
  %0 = nn.bitwise_not %x : (tensor<1xui64>) -> tensor<1xui64>
  return %0 : tensor<1xui64>
}
