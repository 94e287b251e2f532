// RUN: tally-check %s --executor=eval,cpu

// Row 0: place 1 gets 9, then 8 (the last stays); row 1: place -1 is the last.
func.func @replace(%x: tensor<2x3xi8>, %i: tensor<2x2xi64>, %u: tensor<2x2xi8>) -> tensor<2x3xi8> attributes {
    inputs = [dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>, dense<[[1, 1], [-1, 0]]> : tensor<2x2xi64>,
              dense<[[9, 8], [7, 6]]> : tensor<2x2xi8>],
    expected = [dense<[[1, 8, 3], [6, 5, 7]]> : tensor<2x3xi8>]} {
  %0 = nn.scatter_elements %x, %i, %u {axis = 1 : i64, reduction = "none"} : (tensor<2x3xi8>, tensor<2x2xi64>, tensor<2x2xi8>) -> tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}

// 100 + 20 + 20 = 140 wraps to -116.
func.func @add_wraps(%x: tensor<2xi8>, %i: tensor<2xi64>, %u: tensor<2xi8>) -> tensor<2xi8> attributes {
    inputs = [dense<[100, 1]> : tensor<2xi8>, dense<0> : tensor<2xi64>, dense<20> : tensor<2xi8>],
    expected = [dense<[-116, 1]> : tensor<2xi8>]} {
  %0 = nn.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "add"} : (tensor<2xi8>, tensor<2xi64>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// In fp32, one addition after the other: 1 + 2^-24 is 1 (a tie, to even), and
// again; the sum of both first would be 1 + 2^-23.
func.func @add_in_order(%x: tensor<1xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) -> tensor<1xf32> attributes {
    inputs = [dense<[1.0]> : tensor<1xf32>, dense<0> : tensor<2xi64>, dense<0x33800000> : tensor<2xf32>],
    expected = [dense<[1.0]> : tensor<1xf32>]} {
  %0 = nn.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "add"} : (tensor<1xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

func.func @mul_min_max(%x: tensor<3xf32>, %i: tensor<3xi32>, %u: tensor<3xf32>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) attributes {
    inputs = [dense<[2.0, 3.0, 4.0]> : tensor<3xf32>, dense<[0, 1, 2]> : tensor<3xi32>,
              dense<[5.0, 1.0, 0x7FC00000]> : tensor<3xf32>],
    expected = [dense<[10.0, 3.0, 0x7FC00000]> : tensor<3xf32>, dense<[2.0, 1.0, 0x7FC00000]> : tensor<3xf32>,
                dense<[5.0, 3.0, 0x7FC00000]> : tensor<3xf32>]} {
  %0 = nn.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "mul"} : (tensor<3xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = nn.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "min"} : (tensor<3xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = nn.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "max"} : (tensor<3xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Unsigned order: 200 is more than 100.
func.func @unsigned_max(%x: tensor<1xui8>, %i: tensor<1xi64>, %u: tensor<1xui8>) -> tensor<1xui8> attributes {
    inputs = [dense<[100]> : tensor<1xui8>, dense<[0]> : tensor<1xi64>, dense<[200]> : tensor<1xui8>],
    expected = [dense<[200]> : tensor<1xui8>]} {
  %0 = nn.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "max"} : (tensor<1xui8>, tensor<1xi64>, tensor<1xui8>) -> tensor<1xui8>
  return %0 : tensor<1xui8>
}
