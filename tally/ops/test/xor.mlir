// RUN: tally-check %s --executor=eval,cpu

func.func @boolean(%x: tensor<4xi1>, %y: tensor<4xi1>) -> tensor<4xi1> attributes {
    inputs = [dense<[false, false, true, true]> : tensor<4xi1>,
              dense<[false, true, false, true]> : tensor<4xi1>],
    expected = [dense<[false, true, true, false]> : tensor<4xi1>]} {
  %0 = nn.xor %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
