// RUN: tally-check %s --executor=eval,cpu

// Time is dimension 0, batch dimension 1. Column 0 reverses 1 step (nothing
// changes), column 1 reverses 2, column 2 all 3, column 3 none.
func.func @by_column(%x: tensor<3x4xi32>) -> tensor<3x4xi32> attributes {
    inputs = [dense<[[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]> : tensor<3x4xi32>],
    expected = [dense<[[0, 11, 22, 3], [10, 1, 12, 13], [20, 21, 2, 23]]> : tensor<3x4xi32>]} {
  %0 = nn.reverse_sequence %x {batchAxis = 1 : i64, timeAxis = 0 : i64, lengths = array<i64: 1, 2, 3, 0>} : (tensor<3x4xi32>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}
