// RUN: tally-check %s --executor=eval,cpu

func.func @boolean(%x: tensor<2xi1>) -> tensor<2xi1> attributes {
    inputs = [dense<[false, true]> : tensor<2xi1>],
    expected = [dense<[true, false]> : tensor<2xi1>]} {
  %0 = nn.not %x : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
