// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<5xf32>) -> tensor<5xf32> attributes {
    inputs = [dense<[4.0, -0.0, 0.0, 0x7F800000, 3.0]> : tensor<5xf32>],
    expected = [dense<[0.25, 0xFF800000, 0x7F800000, 0.0, 0.3333333432674408]> : tensor<5xf32>]} {
  %0 = nn.reciprocal %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

!q = !quant.uniform<i8:f32, 0.5:1>
!r = !quant.uniform<i8:f32, 0.125:10>

// 3: 1 is 8 eighths; -3: -1/2 is -4; 4: 2/3 is 5.33; zero: the highest code.
func.func @codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[3, -3, 4, 1]> : tensor<4xi8>],
    expected = [dense<[18, 6, 15, 127]> : tensor<4xi8>]} {
  %0 = nn.reciprocal %x : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}

!one = !quant.uniform<i8:f32, 1.0>
!half = !quant.uniform<i8:f32, 0.5>
!quarter = !quant.uniform<i8:f32, 0.25>

// 1/4 over 1/2 is a tie: 0; 1/8 over 1/4 too, and -1/8.
func.func @exact_ties(%x: tensor<2x!one>) -> tensor<2x!half> attributes {
    inputs = [dense<[4, -4]> : tensor<2xi8>],
    expected = [dense<[0, 0]> : tensor<2xi8>]} {
  %0 = nn.reciprocal %x : (tensor<2x!one>) -> tensor<2x!half>
  return %0 : tensor<2x!half>
}
