// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<5xf32>) -> tensor<5xf32> attributes {
    inputs = [dense<[4.0, 2.0, -0.0, -1.0, 0x7F800000]> : tensor<5xf32>],
    expected = [dense<[2.0, 1.4142135381698608, -0.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>]} {
  %0 = nn.sqrt %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @double(%x: tensor<1xf64>) -> tensor<1xf64> attributes {
    inputs = [dense<[2.0]> : tensor<1xf64>],
    expected = [dense<[1.4142135623730951]> : tensor<1xf64>]} {
  %0 = nn.sqrt %x : (tensor<1xf64>) -> tensor<1xf64>
  return %0 : tensor<1xf64>
}

!q = !quant.uniform<i8:f32, 0.25:1>
!r = !quant.uniform<i8:f32, 0.125:10>

// 17: 4, root 2 is 16 eighths; 3: 1/2, root 0.7071 is 5.66 eighths, 6.
// Below zero there is no root: the code of 0.
func.func @codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[17, 3, 1, -5]> : tensor<4xi8>],
    expected = [dense<[26, 16, 10, 10]> : tensor<4xi8>]} {
  %0 = nn.sqrt %x : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}

!one = !quant.uniform<i8:f32, 1.0>
!tie = !quant.uniform<i8:f32, 2.0>

// Roots 1, 3, 5 over 2: 0.5, 1.5, 2.5 to even.
func.func @exact_ties(%x: tensor<3x!one>) -> tensor<3x!tie> attributes {
    inputs = [dense<[1, 9, 25]> : tensor<3xi8>],
    expected = [dense<[0, 2, 2]> : tensor<3xi8>]} {
  %0 = nn.sqrt %x : (tensor<3x!one>) -> tensor<3x!tie>
  return %0 : tensor<3x!tie>
}
