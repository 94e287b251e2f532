// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> attributes {
    inputs = [dense<[1.5, 0x7F800000, 0x7FC00000]> : tensor<3xf32>,
              dense<[2.0, 0x7F800000, 1.0]> : tensor<3xf32>],
    expected = [dense<[-0.5, 0x7FC00000, 0x7FC00000]> : tensor<3xf32>]} {
  %0 = nn.sub %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -128 - 1 wraps.
func.func @integer(%x: tensor<2xi8>, %y: tensor<2xi8>) -> tensor<2xi8> attributes {
    inputs = [dense<[-128, 5]> : tensor<2xi8>,
              dense<[1, 2]> : tensor<2xi8>],
    expected = [dense<[127, 3]> : tensor<2xi8>]} {
  %0 = nn.sub %x, %y : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

func.func @unsigned(%x: tensor<2xui8>, %y: tensor<2xui8>) -> tensor<2xui8> attributes {
    inputs = [dense<[0, 5]> : tensor<2xui8>,
              dense<[1, 2]> : tensor<2xui8>],
    expected = [dense<[255, 3]> : tensor<2xui8>]} {
  %0 = nn.sub %x, %y : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

!a = !quant.uniform<i8:f32, 0.5:1>
!b_ = !quant.uniform<i8:f32, 0.25>
!r = !quant.uniform<i8:f32, 0.125:-3>

// (3 - 1)/2 - 5/4 = -0.25 is -2 eighths, minus 3; 63 + 32 saturates.
func.func @codes(%x: tensor<2x!a>, %y: tensor<2x!b_>) -> tensor<2x!r> attributes {
    inputs = [dense<[3, 127]> : tensor<2xi8>,
              dense<[5, -128]> : tensor<2xi8>],
    expected = [dense<[-5, 127]> : tensor<2xi8>]} {
  %0 = nn.sub %x, %y : (tensor<2x!a>, tensor<2x!b_>) -> tensor<2x!r>
  return %0 : tensor<2x!r>
}
