// RUN: tally-check %s --executor=eval,cpu

func.func @broadcast(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> attributes {
    inputs = [dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>,
              dense<[10.0, 20.0, 30.0]> : tensor<3xf32>],
    expected = [dense<[[11.0, 22.0, 33.0], [14.0, 25.0, 36.0]]> : tensor<2x3xf32>]} {
  %0 = nn.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Integers wrap: 127 + 1 = -128.
func.func @wraps(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<2xi8> attributes {
    inputs = [dense<[127, 3]> : tensor<2xi8>, dense<[1, -5]> : tensor<2xi8>],
    expected = [dense<[-128, -2]> : tensor<2xi8>]} {
  %0 = nn.add %a, %b : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

!a = !quant.uniform<i8:f32, 0.5:1>
!b = !quant.uniform<i8:f32, 0.25:0>
!y = !quant.uniform<i8:f32, 1.0:-1>

// 0.5*(2-1) + 0.25*4 = 1.5 -> 2 (tie to even); 0.5*(4-1) + 0.25*4 = 2.5 -> 2;
// 0.5*(127-1) + 0.25*127 = 94.75 -> 95; plus -1.
func.func @quantized(%a: tensor<3x!a>, %b: tensor<3x!b>) -> tensor<3x!y> attributes {
    inputs = [dense<[2, 4, 127]> : tensor<3xi8>, dense<[4, 4, 127]> : tensor<3xi8>],
    expected = [dense<[1, 1, 94]> : tensor<3xi8>]} {
  %0 = nn.add %a, %b : (tensor<3x!a>, tensor<3x!b>) -> tensor<3x!y>
  return %0 : tensor<3x!y>
}
