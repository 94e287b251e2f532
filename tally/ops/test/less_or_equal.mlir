// RUN: tally-check %s --executor=eval,cpu

// Zeros are equal, NaN is unordered.
func.func @float(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xi1> attributes {
    inputs = [dense<[1.0, -0.0, 2.0, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>,
              dense<[2.0, 0.0, 1.0, 0x7FC00000, 1.0]> : tensor<5xf32>],
    expected = [dense<[true, true, false, false, false]> : tensor<5xi1>]} {
  %0 = nn.less_or_equal %x, %y : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  return %0 : tensor<5xi1>
}

// Apart in the last of 53 bits.
func.func @double(%x: tensor<1xf64>, %y: tensor<1xf64>) -> tensor<1xi1> attributes {
    inputs = [dense<[1.0]> : tensor<1xf64>,
              dense<[1.0000000000000002]> : tensor<1xf64>],
    expected = [dense<[true]> : tensor<1xi1>]} {
  %0 = nn.less_or_equal %x, %y : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xi1>
  return %0 : tensor<1xi1>
}

func.func @integer(%x: tensor<3xi8>, %y: tensor<3xi8>) -> tensor<3xi1> attributes {
    inputs = [dense<[-1, 5, 5]> : tensor<3xi8>,
              dense<[1, 5, -5]> : tensor<3xi8>],
    expected = [dense<[true, true, false]> : tensor<3xi1>]} {
  %0 = nn.less_or_equal %x, %y : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

func.func @unsigned(%x: tensor<1xui64>, %y: tensor<1xui64>) -> tensor<1xi1> attributes {
    inputs = [dense<[18446744073709551615]> : tensor<1xui64>,
              dense<[1]> : tensor<1xui64>],
    expected = [dense<[false]> : tensor<1xi1>]} {
  %0 = nn.less_or_equal %x, %y : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xi1>
  return %0 : tensor<1xi1>
}
