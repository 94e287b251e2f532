// RUN: tally-check %s --executor=eval,cpu

// Largest first; of the equal 5s the lower index first.
func.func @largest(%x: tensor<4xf32>) -> (tensor<3xf32>, tensor<3xi64>) attributes {
    inputs = [dense<[5.0, 1.0, 5.0, 7.0]> : tensor<4xf32>],
    expected = [dense<[7.0, 5.0, 5.0]> : tensor<3xf32>, dense<[3, 0, 2]> : tensor<3xi64>]} {
  %0, %1 = nn.top_k %x {k = 3 : i64, axis = 0 : i64} : (tensor<4xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return %0, %1 : tensor<3xf32>, tensor<3xi64>
}

// Smallest along axis 0: columns (3, -1) and (2, 9); NaN counts as largest.
func.func @smallest(%x: tensor<2x2xf32>, %n: tensor<2xf32>) -> (tensor<1x2xf32>, tensor<1x2xi64>, tensor<1xf32>, tensor<1xi64>) attributes {
    inputs = [dense<[[3.0, 2.0], [-1.0, 9.0]]> : tensor<2x2xf32>, dense<[0x7FC00000, 1.0]> : tensor<2xf32>],
    expected = [dense<[[-1.0, 2.0]]> : tensor<1x2xf32>, dense<[[1, 0]]> : tensor<1x2xi64>,
                dense<[1.0]> : tensor<1xf32>, dense<[1]> : tensor<1xi64>]} {
  %0, %1 = nn.top_k %x {k = 1 : i64, axis = 0 : i64, largest = false} : (tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xi64>)
  %2, %3 = nn.top_k %n {k = 1 : i64, axis = 0 : i64, largest = false} : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  return %0, %1, %2, %3 : tensor<1x2xf32>, tensor<1x2xi64>, tensor<1xf32>, tensor<1xi64>
}

// Unsigned 64-bit integers beyond 2^63 are larger than all below.
func.func @unsigned(%x: tensor<3xui64>) -> (tensor<2xui64>, tensor<2xi64>) attributes {
    inputs = [dense<[3, 9223372036854775808, 2]> : tensor<3xui64>],
    expected = [dense<[9223372036854775808, 3]> : tensor<2xui64>, dense<[1, 0]> : tensor<2xi64>]} {
  %0, %1 = nn.top_k %x {k = 2 : i64, axis = 0 : i64} : (tensor<3xui64>) -> (tensor<2xui64>, tensor<2xi64>)
  return %0, %1 : tensor<2xui64>, tensor<2xi64>
}
