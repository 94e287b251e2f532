// RUN: tally-check %s --executor=eval,cpu

// Upper: column >= row + 1. Lower: column <= row - 1.
func.func @both(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) attributes {
    inputs = [dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>],
    expected = [dense<[[0.0, 2.0, 3.0], [0.0, 0.0, 6.0]]> : tensor<2x3xf32>,
                dense<[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]]> : tensor<2x3xf32>]} {
  %0 = nn.trilu %x {k = 1 : i64, upper = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.trilu %x {k = -1 : i64, upper = false} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

func.func @batch(%x: tensor<2x2x2xi1>) -> tensor<2x2x2xi1> attributes {
    inputs = [dense<true> : tensor<2x2x2xi1>],
    expected = [dense<[[[true, false], [true, true]], [[true, false], [true, true]]]> : tensor<2x2x2xi1>]} {
  %0 = nn.trilu %x {k = 0 : i64, upper = false} : (tensor<2x2x2xi1>) -> tensor<2x2x2xi1>
  return %0 : tensor<2x2x2xi1>
}
