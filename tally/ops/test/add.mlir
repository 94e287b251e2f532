// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> attributes {
    inputs = [dense<[1.5, 0x7F800000, 0x7FC00000]> : tensor<3xf32>,
              dense<[2.0, 0xFF800000, 1.0]> : tensor<3xf32>],
    expected = [dense<[3.5, 0x7FC00000, 0x7FC00000]> : tensor<3xf32>]} {
  %0 = nn.add %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// 127 + 1 wraps.
func.func @integer(%x: tensor<2xi8>, %y: tensor<2xi8>) -> tensor<2xi8> attributes {
    inputs = [dense<[127, -5]> : tensor<2xi8>,
              dense<[1, 2]> : tensor<2xi8>],
    expected = [dense<[-128, -3]> : tensor<2xi8>]} {
  %0 = nn.add %x, %y : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// Rows and columns broadcast; a missing leading dimension counts as 1.
func.func @broadcast(%x: tensor<2x1xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> attributes {
    inputs = [dense<[[1.0], [2.0]]> : tensor<2x1xf32>, dense<[10.0, 20.0, 30.0]> : tensor<3xf32>],
    expected = [dense<[[11.0, 21.0, 31.0], [12.0, 22.0, 32.0]]> : tensor<2x3xf32>]} {
  %0 = nn.add %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

!a = !quant.uniform<i8:f32, 0.5:1>
!b_ = !quant.uniform<i8:f32, 0.25>
!r = !quant.uniform<i8:f32, 0.125:-3>
!wide = !quant.uniform<i8:f32, 2.0>

// (3 - 1)/2 + 5/4 = 2.25 is 18 eighths, minus 3.
// (-128 - 1)/2 - 32 = -96.5 saturates.
func.func @codes(%x: tensor<2x!a>, %y: tensor<2x!b_>) -> tensor<2x!r> attributes {
    inputs = [dense<[3, -128]> : tensor<2xi8>,
              dense<[5, -128]> : tensor<2xi8>],
    expected = [dense<[15, -128]> : tensor<2xi8>]} {
  %0 = nn.add %x, %y : (tensor<2x!a>, tensor<2x!b_>) -> tensor<2x!r>
  return %0 : tensor<2x!r>
}

// 1/2 + 1/2 = 1 is half of 2: 0; 1 + 2 = 3 is 1.5 steps: 2.
func.func @ties(%x: tensor<2x!a>, %y: tensor<2x!b_>) -> tensor<2x!wide> attributes {
    inputs = [dense<[2, 3]> : tensor<2xi8>,
              dense<[2, 8]> : tensor<2xi8>],
    expected = [dense<[0, 2]> : tensor<2xi8>]} {
  %0 = nn.add %x, %y : (tensor<2x!a>, tensor<2x!b_>) -> tensor<2x!wide>
  return %0 : tensor<2x!wide>
}

!u = !quant.uniform<u8:f32, 0.1:128>
!w = !quant.uniform<i16:f32, 0.1>
!v = !quant.uniform<i16:f32, 0.3>

// 0.1 is the fp32 number in both scales, so 300 + 27 steps are 327 * 0.1, exactly 109 of three times that; 0.3 is a little less: 109.
func.func @sixteen_bits(%x: tensor<2x!w>, %y: tensor<2x!w>) -> tensor<2x!v> attributes {
    inputs = [dense<[300, -32768]> : tensor<2xi16>,
              dense<[27, 0]> : tensor<2xi16>],
    expected = [dense<[109, -10923]> : tensor<2xi16>]} {
  %0 = nn.add %x, %y : (tensor<2x!w>, tensor<2x!w>) -> tensor<2x!v>
  return %0 : tensor<2x!v>
}

!y = !quant.uniform<i8:f32, 1.0:-1>

// 0.5*(2-1) + 0.25*4 = 1.5 -> 2 (tie to even); 0.5*(4-1) + 0.25*4 = 2.5 -> 2;
// 0.5*(127-1) + 0.25*127 = 94.75 -> 95; plus -1.
func.func @quantized(%a: tensor<3x!a>, %b: tensor<3x!b_>) -> tensor<3x!y> attributes {
    inputs = [dense<[2, 4, 127]> : tensor<3xi8>, dense<[4, 4, 127]> : tensor<3xi8>],
    expected = [dense<[1, 1, 94]> : tensor<3xi8>]} {
  %0 = nn.add %a, %b : (tensor<3x!a>, tensor<3x!b_>) -> tensor<3x!y>
  return %0 : tensor<3x!y>
}
