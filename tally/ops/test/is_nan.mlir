// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<3xf32>) -> tensor<3xi1> attributes {
    inputs = [dense<[1.0, 0x7FC00000, 0x7F800000]> : tensor<3xf32>],
    expected = [dense<[false, true, false]> : tensor<3xi1>]} {
  %0 = nn.is_nan %x : (tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

func.func @half(%x: tensor<2xf16>) -> tensor<2xi1> attributes {
    inputs = [dense<[0x7E00, 2.0]> : tensor<2xf16>],
    expected = [dense<[true, false]> : tensor<2xi1>]} {
  %0 = nn.is_nan %x : (tensor<2xf16>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
