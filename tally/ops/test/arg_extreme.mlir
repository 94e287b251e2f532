// RUN: tally-check %s --executor=eval,cpu

// Rows 2 5 5 and 1 0 0: first and last of equal elements.
func.func @ties(%x: tensor<2x3xf32>) -> (tensor<2x1xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) attributes {
    inputs = [dense<[[2.0, 5.0, 5.0], [1.0, 0.0, -0.0]]> : tensor<2x3xf32>],
    expected = [dense<[[1], [0]]> : tensor<2x1xi64>, dense<[2, 0]> : tensor<2xi64>,
                dense<[0, 1]> : tensor<2xi64>, dense<[0, 2]> : tensor<2xi64>]} {
  %0 = nn.arg_max %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x1xi64>
  %1 = nn.arg_max %x {axis = 1 : i64, keepdims = false, selectLast = true} : (tensor<2x3xf32>) -> tensor<2xi64>
  %2 = nn.arg_min %x {axis = 1 : i64, keepdims = false} : (tensor<2x3xf32>) -> tensor<2xi64>
  %3 = nn.arg_min %x {axis = 1 : i64, keepdims = false, selectLast = true} : (tensor<2x3xf32>) -> tensor<2xi64>
  return %0, %1, %2, %3 : tensor<2x1xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
}

// The first NaN is both extremes.
func.func @nan(%x: tensor<4xf32>) -> (tensor<1xi64>, tensor<1xi64>) attributes {
    inputs = [dense<[9.0, 0x7FC00000, -9.0, 0x7FC00000]> : tensor<4xf32>],
    expected = [dense<[1]> : tensor<1xi64>, dense<[1]> : tensor<1xi64>]} {
  %0 = nn.arg_max %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<1xi64>
  %1 = nn.arg_min %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<1xi64>
  return %0, %1 : tensor<1xi64>, tensor<1xi64>
}

!q = !quant.uniform<u8:f32, 0.5:10>
// Codes along axis 0.
func.func @codes(%x: tensor<2x2x!q>) -> tensor<2xi64> attributes {
    inputs = [dense<[[11, 200], [12, 14]]> : tensor<2x2xui8>],
    expected = [dense<[1, 0]> : tensor<2xi64>]} {
  %0 = nn.arg_max %x {axis = 0 : i64, keepdims = false} : (tensor<2x2x!q>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// Unsigned 64-bit integers beyond 2^63 are larger than all below.
func.func @unsigned(%x: tensor<3xui64>) -> (tensor<1xi64>, tensor<1xi64>) attributes {
    inputs = [dense<[3, 9223372036854775808, 2]> : tensor<3xui64>],
    expected = [dense<[1]> : tensor<1xi64>, dense<[2]> : tensor<1xi64>]} {
  %0 = nn.arg_max %x {axis = 0 : i64} : (tensor<3xui64>) -> tensor<1xi64>
  %1 = nn.arg_min %x {axis = 0 : i64} : (tensor<3xui64>) -> tensor<1xi64>
  return %0, %1 : tensor<1xi64>, tensor<1xi64>
}
