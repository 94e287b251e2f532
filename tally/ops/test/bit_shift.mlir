// RUN: tally-check %s --executor=eval,cpu

// 200 << 1 = 400 - 256; by the width or more: 0.
func.func @left(%x: tensor<3xui8>, %y: tensor<3xui8>) -> tensor<3xui8> attributes {
    inputs = [dense<[200, 1, 1]> : tensor<3xui8>,
              dense<[1, 7, 8]> : tensor<3xui8>],
    expected = [dense<[144, 128, 0]> : tensor<3xui8>]} {
  %0 = nn.bit_shift %x, %y {left = true} : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  return %0 : tensor<3xui8>
}

func.func @right(%x: tensor<3xui8>, %y: tensor<3xui8>) -> tensor<3xui8> attributes {
    inputs = [dense<[200, 255, 1]> : tensor<3xui8>,
              dense<[1, 8, 255]> : tensor<3xui8>],
    expected = [dense<[100, 0, 0]> : tensor<3xui8>]} {
  %0 = nn.bit_shift %x, %y {left = false} : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  return %0 : tensor<3xui8>
}

func.func @wide(%x: tensor<2xui64>, %y: tensor<2xui64>) -> tensor<2xui64> attributes {
    inputs = [dense<[18446744073709551615, 1]> : tensor<2xui64>,
              dense<[63, 64]> : tensor<2xui64>],
    expected = [dense<[1, 0]> : tensor<2xui64>]} {
  %0 = nn.bit_shift %x, %y {left = false} : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  return %0 : tensor<2xui64>
}
