// RUN: tally-check %s --executor=eval,cpu

func.func @signed(%x: tensor<2xi8>, %y: tensor<2xi8>) -> tensor<2xi8> attributes {
    inputs = [dense<[13, -128]> : tensor<2xi8>,
              dense<[14, -1]> : tensor<2xi8>],
    expected = [dense<[12, -128]> : tensor<2xi8>]} {
  %0 = nn.bitwise_and %x, %y : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// 204 is 11001100, 187 is 10111011.
func.func @unsigned(%x: tensor<1xui8>, %y: tensor<1xui8>) -> tensor<1xui8> attributes {
    inputs = [dense<[204]> : tensor<1xui8>,
              dense<[187]> : tensor<1xui8>],
    expected = [dense<[136]> : tensor<1xui8>]} {
  %0 = nn.bitwise_and %x, %y : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  return %0 : tensor<1xui8>
}
