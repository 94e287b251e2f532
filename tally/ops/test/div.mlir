// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {
    inputs = [dense<[1.0, 1.0, 0.0, -1.0]> : tensor<4xf32>,
              dense<[4.0, -0.0, 0.0, 3.0]> : tensor<4xf32>],
    expected = [dense<[0.25, 0xFF800000, 0x7FC00000, -0.3333333432674408]> : tensor<4xf32>]} {
  %0 = nn.div %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Toward zero; x / 0 = 0; -128 / -1 wraps.
func.func @integer(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> attributes {
    inputs = [dense<[-7, 7, 5, -128]> : tensor<4xi8>,
              dense<[2, -2, 0, -1]> : tensor<4xi8>],
    expected = [dense<[-3, -3, 0, -128]> : tensor<4xi8>]} {
  %0 = nn.div %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

func.func @wide(%x: tensor<2xi64>, %y: tensor<2xi64>) -> tensor<2xi64> attributes {
    inputs = [dense<[-9223372036854775808, 9]> : tensor<2xi64>,
              dense<[-1, 0]> : tensor<2xi64>],
    expected = [dense<[-9223372036854775808, 0]> : tensor<2xi64>]} {
  %0 = nn.div %x, %y : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

func.func @unsigned(%x: tensor<2xui64>, %y: tensor<2xui64>) -> tensor<2xui64> attributes {
    inputs = [dense<[18446744073709551615, 5]> : tensor<2xui64>,
              dense<[2, 0]> : tensor<2xui64>],
    expected = [dense<[9223372036854775807, 0]> : tensor<2xui64>]} {
  %0 = nn.div %x, %y : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  return %0 : tensor<2xui64>
}
