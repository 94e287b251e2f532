// RUN: tally-check %s --executor=eval,cpu

// NaN wins; of equal zeros the first is the result.
func.func @float(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> attributes {
    inputs = [dense<[1.0, 0x7FC00000, 1.0, -0.0, 0.0]> : tensor<5xf32>,
              dense<[2.0, 1.0, 0x7FC00000, 0.0, -0.0]> : tensor<5xf32>],
    expected = [dense<[1.0, 0x7FC00000, 0x7FC00000, -0.0, 0.0]> : tensor<5xf32>]} {
  %0 = nn.min %x, %y : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @integer(%x: tensor<2xi8>, %y: tensor<2xi8>) -> tensor<2xi8> attributes {
    inputs = [dense<[-7, 7]> : tensor<2xi8>,
              dense<[2, -2]> : tensor<2xi8>],
    expected = [dense<[-7, -2]> : tensor<2xi8>]} {
  %0 = nn.min %x, %y : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

func.func @unsigned(%x: tensor<1xui64>, %y: tensor<1xui64>) -> tensor<1xui64> attributes {
    inputs = [dense<[18446744073709551615]> : tensor<1xui64>,
              dense<[2]> : tensor<1xui64>],
    expected = [dense<[2]> : tensor<1xui64>]} {
  %0 = nn.min %x, %y : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
  return %0 : tensor<1xui64>
}

!a = !quant.uniform<i8:f32, 0.5:1>
!b_ = !quant.uniform<i8:f32, 0.25>
!r = !quant.uniform<i8:f32, 0.125:-3>

// Reals 1 and 5/4; 1 and -1: 8 and -8 eighths, minus 3.
func.func @codes(%x: tensor<2x!a>, %y: tensor<2x!b_>) -> tensor<2x!r> attributes {
    inputs = [dense<[3, 3]> : tensor<2xi8>,
              dense<[5, -4]> : tensor<2xi8>],
    expected = [dense<[5, -11]> : tensor<2xi8>]} {
  %0 = nn.min %x, %y : (tensor<2x!a>, tensor<2x!b_>) -> tensor<2x!r>
  return %0 : tensor<2x!r>
}
