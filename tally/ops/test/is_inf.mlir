// RUN: tally-check %s --executor=eval,cpu

func.func @both(%x: tensor<4xf32>) -> tensor<4xi1> attributes {
    inputs = [dense<[1.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<4xf32>],
    expected = [dense<[false, false, true, true]> : tensor<4xi1>]} {
  %0 = nn.is_inf %x {negative = true, positive = true} : (tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

func.func @negative(%x: tensor<2xf32>) -> tensor<2xi1> attributes {
    inputs = [dense<[0x7F800000, 0xFF800000]> : tensor<2xf32>],
    expected = [dense<[false, true]> : tensor<2xi1>]} {
  %0 = nn.is_inf %x {negative = true, positive = false} : (tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

func.func @positive(%x: tensor<2xf32>) -> tensor<2xi1> attributes {
    inputs = [dense<[0x7F800000, 0xFF800000]> : tensor<2xf32>],
    expected = [dense<[true, false]> : tensor<2xi1>]} {
  %0 = nn.is_inf %x {negative = false, positive = true} : (tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
