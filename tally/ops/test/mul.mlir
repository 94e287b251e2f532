// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {
    inputs = [dense<[1.5, 0x7F800000, 0x7FC00000, -0.0]> : tensor<4xf32>,
              dense<[2.0, 0.0, 1.0, 3.0]> : tensor<4xf32>],
    expected = [dense<[3.0, 0x7FC00000, 0x7FC00000, -0.0]> : tensor<4xf32>]} {
  %0 = nn.mul %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// 100 * 3 = 300 - 256.
func.func @integer(%x: tensor<2xi8>, %y: tensor<2xi8>) -> tensor<2xi8> attributes {
    inputs = [dense<[100, -5]> : tensor<2xi8>,
              dense<[3, 2]> : tensor<2xi8>],
    expected = [dense<[44, -10]> : tensor<2xi8>]} {
  %0 = nn.mul %x, %y : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

!a = !quant.uniform<i8:f32, 0.5:1>
!b_ = !quant.uniform<i8:f32, 0.25>
!r = !quant.uniform<i8:f32, 0.125:-3>

// 1 * 5/4 is 10 eighths; -1/2 * 1/4 is -1; -64.5 * -32 saturates.
func.func @codes(%x: tensor<3x!a>, %y: tensor<3x!b_>) -> tensor<3x!r> attributes {
    inputs = [dense<[3, 0, -128]> : tensor<3xi8>,
              dense<[5, 1, -128]> : tensor<3xi8>],
    expected = [dense<[7, -4, 127]> : tensor<3xi8>]} {
  %0 = nn.mul %x, %y : (tensor<3x!a>, tensor<3x!b_>) -> tensor<3x!r>
  return %0 : tensor<3x!r>
}

// 1/2 * 1/4 = 1/8 is half of 1/4: 0; 3/2 * 1/4 = 3/8 is 1.5: 2.
func.func @ties(%x: tensor<2x!a>, %y: tensor<2x!b_>) -> tensor<2x!b_> attributes {
    inputs = [dense<[2, 4]> : tensor<2xi8>,
              dense<[1, 1]> : tensor<2xi8>],
    expected = [dense<[0, 2]> : tensor<2xi8>]} {
  %0 = nn.mul %x, %y : (tensor<2x!a>, tensor<2x!b_>) -> tensor<2x!b_>
  return %0 : tensor<2x!b_>
}
